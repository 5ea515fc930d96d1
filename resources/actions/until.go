package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// errTime is why waiting has ended.
var errTime = errors.New("timed out")

const (
	// patience is how long there is silence before it is said that there is nothing new.
	patience = time.Minute
	// longest is how long to wait at most after a login was refused, unless the interval
	// is longer.
	longest = time.Minute
	// reasonMax is how many characters of a reason are said.
	reasonMax = 300
)

// waiting is what is asked until it is as it should be.
type waiting struct {
	timeout, interval time.Duration
	// ask answers nil when it is.
	ask func(ctx context.Context) error
	// report gets what is new.
	report func(message string)
}

// until asks until the answer is nil. The error says why not, when the time is over.
func (w *waiting) until(ctx context.Context, h host.Host) error {
	begun := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, w.timeout, errTime)
	defer cancel()
	var last error // of an attempt that was not cut off
	var said string
	saidAt := begun
	pause := w.interval
	for {
		err := w.ask(limited)
		switch {
		case err == nil:
			return nil
		case lifecycle.Pending(h):
			return err
		case limited.Err() == nil || last == nil:
			last = err
		}
		if limited.Err() == nil {
			if errors.Is(err, host.ErrRefused) {
				// A machine that starts lets nobody in for a while. One that counts refusals
				// might shut us out for good.
				host.Reset(h)
				pause = max(w.interval, min(2*pause, longest))
			} else {
				pause = w.interval
			}
			if reason := short(err); reason != said || time.Since(saidAt) >= patience {
				w.report(fmt.Sprintf("after %s: %s", time.Since(begun).Round(time.Second), reason))
				said, saidAt = reason, time.Now()
			}
		}
		select {
		case <-time.After(pause):
		case <-limited.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return diag.AttributeErrorf("timeout", "%w after %s: %w", errTime, w.timeout, last)
		}
	}
}

// short is an error in one line.
func short(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if cut := strings.ToValidUTF8(text[:min(len(text), reasonMax)], ""); len(cut) < len(text) {
		return cut + " …"
	}
	return text
}

// someTime refuses times in which nothing happens.
func someTime(d runtime.Duration) error {
	if d <= 0 {
		return errors.New("must be greater than zero")
	}
	return nil
}
