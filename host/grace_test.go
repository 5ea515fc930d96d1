package host_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

func TestWithGracePeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		lasting, cancel := host.WithGracePeriod(ctx, 3*time.Second)
		defer cancel()
		time.Sleep(time.Hour)
		if lasting.Err() != nil {
			t.Error("it ends before what it is made of")
		}
		end()
		time.Sleep(2 * time.Second)
		if lasting.Err() != nil {
			t.Error("it does not last longer")
		}
		time.Sleep(2 * time.Second)
		if lasting.Err() == nil {
			t.Error("it lasts for ever")
		}
		over, cancel := host.WithGracePeriod(ctx, time.Hour)
		cancel()
		if over.Err() == nil {
			t.Error("it is not over when its user says so")
		}
	})
}

func TestWithoutCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, end := context.WithCancel(t.Context())
		end()
		ctx, cancel := host.WithoutCancel(ended, 3*time.Second)
		defer cancel()
		time.Sleep(2 * time.Second)
		if ctx.Err() != nil {
			t.Error("the context ends with its parent")
		}
		time.Sleep(2 * time.Second)
		if ctx.Err() == nil {
			t.Error("the context outlasts its timeout")
		}
	})
}
