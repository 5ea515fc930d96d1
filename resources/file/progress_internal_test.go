package file

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// slow is a reader that returns 1 MiB of secrets every two seconds.
type slow struct{ left int }

func (s *slow) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	time.Sleep(2 * time.Second)
	return copy(p[:1<<20], strings.Repeat("a secret", 1<<17)), nil
}

// TestProgress checks that the progress of a transfer is logged every few seconds,
// without content.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx := tflogtest.RootLogger(t.Context(), &log)
		p := progress{message: "copying", total: 8 << 20, fields: map[string]any{"path": "/o"}}
		if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, p.reader(ctx, &slow{left: 8}), make([]byte, 1<<20)); n != 8<<20 || err != nil {
			t.Fatal(n, err)
		}
		if strings.Contains(log.String(), "secret") {
			t.Error("the log has the content")
		}
		lines, err := tflogtest.MultilineJSONDecode(&log)
		if err != nil {
			t.Fatal(err)
		}
		type line struct {
			Level, Message, Path, Bytes, Duration any
		}
		var got []line
		for _, l := range lines {
			if l["bytes_in_all"] != "8388608" {
				t.Errorf("bytes_in_all is %v, want 8388608", l["bytes_in_all"])
			}
			got = append(got, line{l["@level"], l["@message"], l["path"], l["bytes"], l["duration"]})
		}
		want := []line{
			{"info", "copying", "/o", "3145728", "6s"},
			{"info", "copying", "/o", "6291456", "12s"},
			{"debug", "copying: done", "/o", "8388608", "16s"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("lines of the log (-want +got):\n%s", diff)
		}
	})
}

// TestProgressEnds checks that reading fails when the context ends.
func TestProgressEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := progress{}.reader(ctx, strings.NewReader("content"))
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the context has ended: %v, want %v", err, context.Canceled)
	}
}
