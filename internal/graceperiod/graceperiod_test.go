package graceperiod_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
)

func TestWith(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		lasting, cancel := graceperiod.With(ctx, 3*time.Second)
		defer cancel()
		time.Sleep(time.Hour)
		if lasting.Err() != nil {
			t.Error("the context ended before its parent")
		}
		end()
		time.Sleep(2 * time.Second)
		if lasting.Err() != nil {
			t.Error("the context ended before its grace period was over")
		}
		time.Sleep(2 * time.Second)
		if lasting.Err() == nil {
			t.Error("the context did not end after its grace period")
		}
		over, cancel := graceperiod.With(ctx, time.Hour)
		cancel()
		if over.Err() == nil {
			t.Error("cancel did not end the context")
		}
	})
}
