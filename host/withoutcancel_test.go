package host_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

func TestWithoutCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, end := context.WithCancel(t.Context())
		end()
		ctx, cancel := host.WithoutCancel(ended, 3*time.Second)
		defer cancel()
		time.Sleep(2 * time.Second)
		if ctx.Err() != nil {
			t.Error("the context ended with its parent")
		}
		time.Sleep(2 * time.Second)
		if ctx.Err() == nil {
			t.Error("the context did not end at its timeout")
		}
	})
}
