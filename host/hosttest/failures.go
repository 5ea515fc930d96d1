package hosttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

var errTest = errors.New("test error")

// stops are the ways in which a caller can interrupt a write.
var stops = []struct {
	name string
	// content returns content that is interrupted after n bytes; hook is called before the
	// replacement. cancel cancels the context of the call.
	content func(n int, cancel func()) io.Reader
	hook    func(cancel func()) error
	want    []error
	panics  bool
	source  string
}{
	{
		name: "content fails", source: "content", want: []error{errTest},
		content: func(n int, _ func()) io.Reader { return failing(n, errTest) },
	},
	{
		name: "content does not exist", source: "content",
		content: func(n int, _ func()) io.Reader {
			return failing(n, fmt.Errorf("source: %w", fs.ErrNotExist))
		},
	},
	{
		name: "content ends unexpectedly", source: "content", want: []error{io.ErrUnexpectedEOF},
		content: func(n int, _ func()) io.Reader { return failing(n, io.ErrUnexpectedEOF) },
	},
	{
		name: "canceled while writing", want: []error{context.Canceled},
		content: func(n int, cancel func()) io.Reader {
			return io.MultiReader(strings.NewReader(pattern(n)), readerFunc(func(p []byte) (int, error) {
				cancel()
				return copy(p, "more"), nil
			}))
		},
	},
	{
		name: "canceled at the end of content", want: []error{context.Canceled},
		content: func(n int, cancel func()) io.Reader { return atEnd(pattern(n), cancel) },
	},
	{
		name: "content panics", panics: true,
		content: func(n int, _ func()) io.Reader {
			return io.MultiReader(strings.NewReader(pattern(n)), readerFunc(func([]byte) (int, error) { panic(errTest) }))
		},
	},
	{
		name: "hook fails", source: "before replace", want: []error{errTest},
		hook: func(func()) error { return errTest },
	},
	{
		name: "hook returns fs.ErrNotExist", source: "before replace",
		hook: func(func()) error { return fs.ErrNotExist },
	},
	{
		name: "canceled in hook", want: []error{context.Canceled},
		hook: func(cancel func()) error { cancel(); return nil },
	},
	{
		name: "hook panics", panics: true,
		hook: func(func()) error { panic(errTest) },
	},
}

func failing(n int, err error) io.Reader {
	return io.MultiReader(strings.NewReader(pattern(n)), readerFunc(func([]byte) (int, error) { return 0, err }))
}

// testWriteFailures checks that a failed write has no effect.
func testWriteFailures(t *testing.T, s suite) {
	sizes := []int{0, 10, 200_000}
	for i, stop := range stops {
		for j, exists := range []bool{false, true} {
			n := sizes[(i+j)%len(sizes)]
			run(t, s, fmt.Sprintf("%s, %d bytes, exists %t", stop.name, n, exists), func(e env) {
				p := e.path("file")
				if exists {
					e.put("file", "old")
				}
				before := e.snapshot(e.dir)
				ctx, cancel := context.WithCancel(e.ctx())
				defer cancel()
				var content io.Reader = strings.NewReader(pattern(n))
				if stop.content != nil {
					content = stop.content(n, cancel)
				}
				opts := host.WriteOptions{Exclusive: !exists}
				if stop.hook != nil {
					opts.BeforeReplace = func(context.Context, string) error { return stop.hook(cancel) }
				}
				recovered, err := writeRecovered(ctx, e, p, content, opts)
				if stop.panics {
					if recovered != any(errTest) {
						e.Errorf("recovered %v (error %v), want the panic of the test", recovered, err)
					}
				} else {
					e.wantError(err, p, stop.want...)
				}
				var source *host.SourceError
				if errors.As(err, &source) != (stop.source != "") || source != nil && source.Source != stop.source {
					e.Errorf("error %v has the source %+v, want %q", err, source, stop.source)
				}
				e.wantSnapshot(e.dir, before)
				e.put("file", "next")
				e.wantContent(p, "next")
				e.wantNames(e.dir, "file")
			})
		}
	}
	run(t, s, "hook fails on the same host", func(e env) {
		p := e.path("file")
		_, err := e.WriteFile(e.ctx(), p, strings.NewReader("x"), host.WriteOptions{
			BeforeReplace: func(ctx context.Context, _ string) error { return errOf(e.Lstat(ctx, e.path("absent"))) },
		})
		e.wantError(err, p)
		e.wantNames(e.dir)
	})
	run(t, s, "a mode with too many bits", func(e env) {
		p := e.path("file")
		for _, mode := range []host.Mode{0o10000, 0o100644, 1 << 31} {
			attrs := host.Attributes{Mode: &mode}
			e.wantError(errOf(e.WriteFile(e.ctx(), p, strings.NewReader("x"), host.WriteOptions{Attributes: attrs})), p)
			e.wantError(errOf(e.Mkdir(e.ctx(), p, attrs)), p)
			e.wantError(errOf(e.SetAttributes(e.ctx(), e.dir, host.TypeUnknown, attrs)), e.dir)
			e.wantNames(e.dir)
		}
	})
}

func writeRecovered(ctx context.Context, e env, p string, content io.Reader, opts host.WriteOptions) (recovered any, err error) {
	defer func() { recovered = recover() }()
	_, err = e.WriteFile(ctx, p, content, opts)
	return nil, err
}

// testBeforeReplace checks the state of the files while the hook BeforeReplace runs.
func testBeforeReplace(t *testing.T, s suite) {
	for _, exists := range []bool{false, true} {
		for _, exclusive := range []bool{false, true} {
			if exists && exclusive {
				continue
			}
			run(t, s, fmt.Sprintf("exists %t, exclusive %t", exists, exclusive), func(e env) {
				p, content := e.path("file"), pattern(100_000)
				if exists {
					e.put("file", "old")
				}
				calls := 0
				e.made(e.WriteFile(e.ctx(), p, strings.NewReader(content), host.WriteOptions{
					Attributes: host.Attributes{Mode: new(host.Mode(0o750))},
					Exclusive:  exclusive,
					BeforeReplace: func(ctx context.Context, temp string) error {
						calls++
						if !host.IsTempPath(temp) || temp[:len(e.dir)+1] != e.dir+"/" {
							e.Errorf("the temporary file is %s, want a temporary path in %s", temp, e.dir)
						}
						got := e.lstat(temp)
						if got.Mode != 0o750 || got.Size != int64(len(content)) || got.Type != host.TypeRegular {
							e.Errorf("the temporary file is %+v, want a regular file with mode 0750 and %d bytes", got, len(content))
						}
						e.wantContent(temp, content)
						if exists {
							e.wantContent(p, "old")
							e.must(e.Link(ctx, p, e.path("backup")))
						} else {
							e.wantAbsent(p)
						}
						_, err := e.WriteFile(ctx, e.path("beside"), strings.NewReader("x"), host.WriteOptions{})
						return err
					},
				}))
				if calls != 1 {
					e.Errorf("BeforeReplace was called %d times, want once", calls)
				}
				e.wantContent(p, content)
				names := []string{"beside", "file"}
				if exists {
					e.wantContent(e.path("backup"), "old")
					names = append(names, "backup")
				}
				e.wantNames(e.dir, names...)
			})
		}
	}
	run(t, s, "temporary file is executable in the hook", func(e env) {
		script := "#!/bin/sh\nexit 42\n"
		_, err := e.WriteFile(e.ctx(), e.path("script"), strings.NewReader(script), host.WriteOptions{
			Attributes: host.Attributes{Mode: new(host.Mode(0o755))},
			BeforeReplace: func(ctx context.Context, temp string) error {
				result, err := e.Run(ctx, host.Command{Args: []string{temp}})
				if errors.Is(err, errors.ErrUnsupported) {
					return nil
				}
				if result.ExitCode != 42 {
					e.Errorf("the script returned %+v, want exit code 42", result)
				}
				return err
			},
		})
		e.must(err)
	})
}

// allocated returns how many bytes the process allocated while f ran.
func allocated(f func()) uint64 {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	f()
	goruntime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
