package file

import (
	"context"
	"errors"
	"io"
	"maps"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// sayEvery is the interval of log messages about the progress of a transfer.
const sayEvery = 5 * time.Second

// progress logs the progress of a transfer: the number of bytes, never their content. The
// transfer ends with its context.
type progress struct {
	doing  string // "copying a source"
	total  int64
	fields map[string]any

	done        int64
	begun, next time.Time
}

// of returns a reader of r that logs the progress.
func (p progress) of(ctx context.Context, r io.Reader) *progressReader {
	p.begun = time.Now()
	p.next = p.begun.Add(sayEvery)
	return &progressReader{ctx: ctx, r: r, progress: p}
}

type progressReader struct {
	progress
	ctx context.Context //nolint:containedctx // a reader's method has no place for one
	r   io.Reader
}

func (p *progressReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.done += int64(n)
	switch now := time.Now(); {
	case errors.Is(err, io.EOF):
		tflog.Debug(p.ctx, p.doing+": done", p.says(now))
	case now.After(p.next):
		p.next = now.Add(sayEvery)
		tflog.Info(p.ctx, p.doing, p.says(now))
	}
	return n, err
}

func (p *progressReader) says(now time.Time) map[string]any {
	// As strings: the log would format large numbers as 2.147483648e+09.
	says := map[string]any{
		"bytes": strconv.FormatInt(p.done, 10), "bytes_in_all": strconv.FormatInt(p.total, 10),
		"duration": now.Sub(p.begun).Round(time.Millisecond).String(),
	}
	maps.Copy(says, p.fields)
	return says
}
