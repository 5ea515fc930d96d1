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

// logInterval is the time between two messages on the progress of a transfer.
const logInterval = 5 * time.Second

// progress logs the number of transferred bytes, never their content.
type progress struct {
	message string // "copying a source"
	total   int64
	fields  map[string]any

	done           int64
	start, nextLog time.Time
}

// reader returns a reader that logs the progress of reading r, and fails when ctx ends.
func (p progress) reader(ctx context.Context, r io.Reader) *progressReader {
	p.start = time.Now()
	p.nextLog = p.start.Add(logInterval)
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
		tflog.Debug(p.ctx, p.message+": done", p.logFields(now))
	case now.After(p.nextLog):
		p.nextLog = now.Add(logInterval)
		tflog.Info(p.ctx, p.message, p.logFields(now))
	}
	return n, err
}

func (p *progressReader) logFields(now time.Time) map[string]any {
	// As strings: the log would print large numbers as 2.147483648e+09.
	says := map[string]any{
		"bytes": strconv.FormatInt(p.done, 10), "bytes_in_all": strconv.FormatInt(p.total, 10),
		"duration": now.Sub(p.start).Round(time.Millisecond).String(),
	}
	maps.Copy(says, p.fields)
	return says
}
