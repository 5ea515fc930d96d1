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
)

// errTimeout is the cause of an expired timeout.
var errTimeout = errors.New("timed out")

const (
	// repeatAfter is the time after which an unchanged reason is reported again.
	repeatAfter = time.Minute
	// maxPause is the maximum pause after [host.ErrRefused], unless the interval is longer.
	maxPause = time.Minute
	// maxReason is the maximum length of a reason, in bytes.
	maxReason = 300
)

// poller repeats an attempt until it succeeds or a timeout expires.
type poller struct {
	timeout, interval time.Duration
	// attempt returns nil when it succeeds.
	attempt func(ctx context.Context) error
	// report is called with a new reason, and with an unchanged one after repeatAfter.
	report func(message string)
}

// wait returns nil when an attempt succeeds. After the timeout, or if ctx ends, the error wraps
// that of the last complete attempt, or of the first attempt if none was complete. The error
// of a pending host is returned at once.
func (p *poller) wait(ctx context.Context, h host.Host) error {
	start := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, p.timeout, errTimeout)
	defer cancel()
	limited = host.WithConnectOnce(limited) // interval and timeout replace the host's own retries
	var last error                          // error of the last complete attempt, or of the first attempt
	var reported string
	reportedAt := start
	pause := p.interval
	for {
		err := p.attempt(limited)
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
				// A booting host rejects authentication for a while. It might count the
				// failures and block this client.
				host.Reset(h)
				pause = max(p.interval, min(2*pause, maxPause))
			} else {
				pause = p.interval
			}
			if reason := oneLine(err); reason != reported || time.Since(reportedAt) >= repeatAfter {
				p.report(fmt.Sprintf("after %s: %s", time.Since(start).Round(time.Second), reason))
				reported, reportedAt = reason, time.Now()
			}
		}
		select {
		case <-time.After(pause):
		case <-limited.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted after %s: %w. Error of the last attempt: %w",
					time.Since(start).Round(time.Second), context.Cause(ctx), last)
			}
			return diag.AttributeErrorf("timeout", "%w after %s: %w", errTimeout, p.timeout, last)
		}
	}
}

// oneLine returns the message of err in one line, cut after maxReason bytes.
func oneLine(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if cut := strings.ToValidUTF8(text[:min(len(text), maxReason)], ""); len(cut) < len(text) {
		return cut + " …"
	}
	return text
}
