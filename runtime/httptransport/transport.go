// Package httptransport provides an HTTP transport for clients of services: it logs requests without
// headers, query or body, and sends a request again after the delay in the header Retry-After. It
// is for authors of providers; nothing in this repository calls it.
//
//	client := &http.Client{Transport: httptransport.New(nil)}
//
// A request is sent again only after status 429, because the server did not process it, or after
// status 503 if its method is idempotent.
//
// Elsewhere: package runtime has Retry for all other transient errors.
package httptransport

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const (
	// maxTries limits how often a request is sent: every response may request another try.
	maxTries = 10
	// minDelay is the delay if the service specifies a shorter one, such as a date that has passed.
	minDelay = time.Second
	// maxDelay limits the delay; with a longer one, the response is returned to the caller.
	maxDelay = 10 * time.Minute
)

// New returns a transport that sends requests with base, or with [http.DefaultTransport] if base is nil.
//
// It logs method, host, path, number of the try, duration, and status or type of the error at level
// debug. It does not log headers, query or body, which may contain secrets.
//
// After a response with the header Retry-After (RFC 9110, section 10.2.3) and status 429, or status
// 503 for an idempotent method, the request is sent again at the time in the header, but at the earliest
// after one second. A request is sent at most ten times in total. The response is returned instead if
// that time is more than ten minutes away or after the deadline of the request's context, or if the body
// cannot be sent again (see GetBody of [http.Request]).
func New(base http.RoundTripper) http.RoundTripper {
	return &transport{base: cmp.Or(base, http.DefaultTransport)}
}

type transport struct{ base http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	for try := 1; ; try++ {
		resp, err := t.send(req, try)
		if err != nil || try == maxTries || !repeatable(req, resp.StatusCode) {
			return resp, err
		}
		delay, ok := retryAfter(resp.Header.Get("Retry-After"))
		delay = max(delay, minDelay)
		if end, limited := req.Context().Deadline(); !ok || delay > maxDelay || limited && delay > time.Until(end) {
			return resp, nil
		}
		again := req.Clone(req.Context())
		if req.GetBody != nil {
			if again.Body, err = req.GetBody(); err != nil {
				return resp, nil //nolint:nilerr // the caller can still use the response
			}
		}
		// The connection can be used again if the body was read to its end. A new connection is
		// cheaper than reading a long body.
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
		_ = resp.Body.Close()
		tflog.Debug(req.Context(), "waiting before the next try", map[string]any{"host": req.URL.Host, "delay": delay.Round(time.Millisecond).String()})
		if err := sleep(req.Context(), delay); err != nil {
			if again.Body != nil {
				_ = again.Body.Close() // the request is not sent
			}
			return nil, err
		}
		req = again
	}
}

func (t *transport) send(req *http.Request, try int) (*http.Response, error) {
	fields := map[string]any{"method": req.Method, "host": req.URL.Host, "path": req.URL.EscapedPath(), "try": try}
	began := time.Now()
	resp, err := t.base.RoundTrip(req)
	fields["took"] = time.Since(began).Round(time.Millisecond).String()
	if err != nil {
		fields["error"] = fmt.Sprintf("%T", err) // the text may contain a part of the request
	} else {
		fields["status"] = resp.StatusCode
	}
	tflog.Debug(req.Context(), "HTTP request", fields)
	return resp, err
}

// repeatable reports whether the request can be sent again after a response with the status. A
// server that returns status 429 did not process the request, so it can be sent again even if
// it is not idempotent.
func repeatable(req *http.Request, status int) bool {
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		switch req.Method {
		case "", http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodTrace:
			return true
		}
	}
	return false
}

// retryAfter returns the delay in the header, a number of seconds or a date, and whether the header
// is valid.
func retryAfter(header string) (time.Duration, bool) {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(date)), true
	}
	return 0, false
}

func sleep(ctx context.Context, delay time.Duration) error {
	select {
	case <-time.After(delay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
