package httptransport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/posixform/terraform-provider-posix/runtime/httptransport"
)

// answers is a service that returns these responses in order, and then status 200.
type answers struct {
	list     []answer
	requests int
	bodies   []string
}

type answer struct {
	status int
	after  string
	err    error
}

// RoundTrip implements http.RoundTripper.
func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	a.requests++
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		a.bodies = append(a.bodies, string(body))
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	next := answer{status: http.StatusOK}
	if len(a.list) > 0 {
		next, a.list = a.list[0], a.list[1:]
	}
	if next.err != nil {
		return nil, next.err
	}
	resp := &http.Response{StatusCode: next.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("text")), Request: req}
	if next.after != "" {
		resp.Header.Set("Retry-After", next.after)
	}
	return resp, nil
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection lost")
	for name, tt := range map[string]struct {
		method  string
		answers []answer
		onePass bool // the body cannot be sent again
		limit   time.Duration

		requests int
		status   int
		waits    time.Duration
	}{
		"success":                          {requests: 1, status: 200},
		"rate limit":                       {answers: []answer{{status: 429, after: "7"}}, requests: 2, status: 200, waits: 7 * time.Second},
		"rate limit of a change":           {method: "POST", answers: []answer{{status: 429, after: "7"}}, requests: 2, status: 200, waits: 7 * time.Second},
		"twice":                            {answers: []answer{{status: 503, after: "1"}, {status: 429, after: "2"}}, requests: 3, status: 200, waits: 3 * time.Second},
		"at once":                          {answers: []answer{{status: 429, after: "0"}}, requests: 2, status: 200, waits: time.Second},
		"a date":                           {answers: []answer{{status: 429, after: "Sat, 01 Jan 2000 00:00:30 GMT"}}, requests: 2, status: 200, waits: 30 * time.Second},
		"a date in the past":               {answers: []answer{{status: 429, after: "Fri, 31 Dec 1999 00:00:30 GMT"}}, requests: 2, status: 200, waits: time.Second},
		"after ten minutes":                {answers: []answer{{status: 429, after: "600"}}, requests: 2, status: 200, waits: 10 * time.Minute},
		"after more than ten minutes":      {answers: []answer{{status: 429, after: "601"}}, requests: 1, status: 429},
		"without the header":               {answers: []answer{{status: 429}}, requests: 1, status: 429},
		"nonsense in the header":           {answers: []answer{{status: 429, after: "soon"}}, requests: 1, status: 429},
		"a negative number":                {answers: []answer{{status: 429, after: "-1"}}, requests: 1, status: 429},
		"unavailable for a change":         {method: "POST", answers: []answer{{status: 503, after: "7"}}, requests: 1, status: 503},
		"unavailable for an idempotent":    {method: "PUT", answers: []answer{{status: 503, after: "7"}}, requests: 2, status: 200, waits: 7 * time.Second},
		"another status":                   {answers: []answer{{status: 500, after: "7"}}, requests: 1, status: 500},
		"a body that cannot be sent again": {method: "PUT", onePass: true, answers: []answer{{status: 429, after: "7"}}, requests: 1, status: 429},
		"after the end of the context":     {limit: time.Minute, answers: []answer{{status: 429, after: "3600"}}, requests: 1, status: 429},
		"before the end of the context":    {limit: time.Minute, answers: []answer{{status: 429, after: "59"}}, requests: 2, status: 200, waits: 59 * time.Second},
		"for ever":                         {answers: slicesOf(answer{status: 429, after: "1"}, 20), requests: 10, status: 429, waits: 9 * time.Second},
		"an error":                         {answers: []answer{{err: lost}}, requests: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				var body io.Reader
				if tt.method != "" {
					if body = strings.NewReader("hello"); tt.onePass {
						body = io.MultiReader(body)
					}
				}
				req, err := http.NewRequestWithContext(ctx, tt.method, "http://service.example.com/", body)
				if err != nil {
					t.Fatal(err)
				}
				service := &answers{list: tt.answers}
				began := time.Now()
				resp, err := httptransport.New(service).RoundTrip(req)
				switch {
				case tt.status == 0:
					if !errors.Is(err, lost) {
						t.Errorf("error %v, want %v", err, lost)
					}
				case err != nil:
					t.Fatal(err)
				default:
					if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "text" {
						t.Errorf("body %q, error %v, want text", text, err)
					}
					if err := resp.Body.Close(); err != nil || resp.StatusCode != tt.status {
						t.Errorf("status %d, want %d; %v", resp.StatusCode, tt.status, err)
					}
				}
				if waited := time.Since(began); service.requests != tt.requests || waited != tt.waits {
					t.Errorf("%d requests in %s, want %d in %s", service.requests, waited, tt.requests, tt.waits)
				}
				for _, sent := range service.bodies {
					if sent != "hello" {
						t.Errorf("body %q was sent, want hello", sent)
					}
				}
			})
		})
	}
}

func slicesOf(a answer, n int) []answer {
	list := make([]answer, n)
	for i := range list {
		list[i] = a
	}
	return list
}

// countedBody is a body whose Close decrements open, the number of bodies that are not closed.
type countedBody struct {
	io.Reader
	open *int
}

// Close implements io.Closer.
func (b countedBody) Close() error {
	*b.open--
	return nil
}

// TestCanceled checks that the end of the context ends the wait, which is logged, and that all
// request bodies are closed.
func TestCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx, cancel := context.WithCancel(tflogtest.RootLogger(t.Context(), &log))
		time.AfterFunc(time.Second, cancel)
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://service.example.com/", nil)
		if err != nil {
			t.Fatal(err)
		}
		open := 0
		req.GetBody = func() (io.ReadCloser, error) {
			open++
			return countedBody{strings.NewReader("hello"), &open}, nil
		}
		if req.Body, err = req.GetBody(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = httptransport.New(&answers{list: []answer{{status: 429, after: "60"}}}).RoundTrip(req) //nolint:bodyclose // there is none
		if took := time.Since(began); !errors.Is(err, context.Canceled) || took != time.Second {
			t.Errorf("error %v after %s, want canceled after 1s", err, took)
		}
		if open != 0 {
			t.Errorf("%d bodies are open, want 0", open)
		}
		if text := log.String(); !strings.Contains(text, `"@message":"waiting before the next try"`) || !strings.Contains(text, `"delay":"1m0s"`) {
			t.Errorf("the log lacks the wait:\n%s", text)
		}
	})
}

// TestLog checks the log of a real request and of an error, and that it contains no secret.
func TestLog(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "s3cret")
		fmt.Fprint(w, "s3cret")
	}))
	defer server.Close()
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	for _, url := range []string{server.URL, "http://s3cret@127.0.0.1:1"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/zones/1?key=s3cret", strings.NewReader("s3cret"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer s3cret")
		client := http.Client{Transport: httptransport.New(nil)}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}
	text := log.String()
	for _, want := range []string{`"method":"PUT"`, `"path":"/zones/1"`, `"status":200`, `"error":"`, `"host":"127.0.0.1:1"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "s3cret") {
		t.Errorf("the log has a secret:\n%s", text)
	}
}
