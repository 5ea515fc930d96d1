package hosttest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// together calls f concurrently with each of 0…n-1, rounds times or until f fails, and returns the
// last error for each number, in the order of the numbers.
func together(n, rounds int, f func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			for round := 0; round < rounds && errs[i] == nil; round++ {
				errs[i] = f(i)
			}
		})
	}
	close(start)
	all.Wait()
	return errs
}

// wantOne checks that exactly one call succeeded and the others returned fs.ErrExist for path.
func (e env) wantOne(errs []error, path string) {
	e.Helper()
	succeeded := 0
	for _, err := range errs {
		if err == nil {
			succeeded++
		} else {
			e.wantError(err, path, fs.ErrExist)
		}
	}
	if succeeded != 1 {
		e.Errorf("%d of %d calls succeeded, want 1", succeeded, len(errs))
	}
}

func testConcurrency(t *testing.T, s suite) {
	const writers, rounds, size = 6, 5, 70_000
	run(t, s, "readers see complete contents", func(e env) {
		p := e.path("file")
		e.put("file", strings.Repeat("z", size))
		var done atomic.Bool
		var reader sync.WaitGroup
		reader.Go(func() {
			for reads := 0; !done.Load() || reads == 0; reads++ {
				info, r, err := e.Open(e.ctx(), p)
				if err != nil {
					e.Error(err)
					return
				}
				var got strings.Builder
				_, err = copyAll(&got, r)
				if err := errors.Join(err, r.Close()); err != nil {
					e.Error(err)
				}
				if s := got.String(); len(s) != size || s != strings.Repeat(s[:1], size) {
					e.Errorf("a reader saw %d bytes: %s, want %d equal bytes", len(s), brief(s), size)
				}
				if info.Mode != 0o644 || info.Size != size {
					e.Errorf("a reader saw %+v, want mode 0644 and size %d", info, size)
				}
			}
		})
		errs := together(writers, rounds, func(i int) error {
			content := strings.Repeat(string(rune('a'+i)), size)
			attrs := host.Attributes{Mode: new(host.Mode(0o644))}
			return errOf(e.WriteFile(e.ctx(), p, strings.NewReader(content), host.WriteOptions{Attributes: attrs, NoSync: i%2 == 0}))
		})
		done.Store(true)
		reader.Wait()
		e.must(errors.Join(errs...))
		e.wantNames(e.dir, "file")
	})
	run(t, s, "one exclusive writer succeeds", func(e env) {
		for round := range rounds {
			p := e.path(fmt.Sprint(round))
			var winner atomic.Int32
			errs := together(writers, 1, func(i int) error {
				_, err := e.WriteFile(e.ctx(), p, strings.NewReader(fmt.Sprint(i)), host.WriteOptions{Exclusive: true})
				if err == nil {
					winner.Store(int32(i))
				}
				return err
			})
			e.wantOne(errs, p)
			e.wantContent(p, fmt.Sprint(winner.Load()))
		}
		if n := len(e.names(e.dir)); n != rounds {
			e.Errorf("the directory contains %d names %q, want %d", n, e.names(e.dir), rounds)
		}
	})
	run(t, s, "writers and removers", func(e env) {
		p := e.path("file")
		errs := together(writers, rounds, func(i int) error {
			switch i % 3 {
			case 0:
				return errOf(e.WriteFile(e.ctx(), p, strings.NewReader("content"), host.WriteOptions{NoSync: true}))
			case 1:
				if err := e.Remove(e.ctx(), p); !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				return nil
			default:
				return e.RemoveTemp(e.ctx(), p)
			}
		})
		e.must(errors.Join(errs...))
		e.put("file", "last")
		e.wantNames(e.dir, "file")
	})
	run(t, s, "writers of one directory", func(e env) {
		const each = 5
		errs := together(10, 1, func(i int) error {
			for j := range each {
				name := fmt.Sprintf("%d-%d", i, j)
				_, err := e.WriteFile(e.ctx(), e.path(name), strings.NewReader(name), host.WriteOptions{NoSync: true})
				if err != nil {
					return err
				}
			}
			return nil
		})
		e.must(errors.Join(errs...))
		names := e.names(e.dir)
		if len(names) != 10*each {
			e.Errorf("%d files, want %d", len(names), 10*each)
		}
		for _, name := range names {
			e.wantContent(e.path(name), name)
		}
	})
	run(t, s, "one Mkdir succeeds", func(e env) {
		e.wantOne(together(writers, 1, func(int) error { return errOf(e.Mkdir(e.ctx(), e.path("dir"), host.Attributes{})) }), e.path("dir"))
	})
	run(t, s, "one Symlink succeeds", func(e env) {
		e.wantOne(together(writers, 1, func(int) error { return errOf(e.Symlink(e.ctx(), "target", e.path("link"))) }), e.path("link"))
	})
	run(t, s, "ReplaceSymlink is atomic", func(e env) {
		p := e.symlink("target z", "link")
		var done atomic.Bool
		var reader sync.WaitGroup
		reader.Go(func() {
			for !done.Load() {
				info, err := e.Lstat(e.ctx(), p)
				if err != nil || !strings.HasPrefix(info.LinkTarget, "target ") {
					e.Errorf("a reader saw %+v, error %v, want a link target that starts with \"target \"", info, err)
					return
				}
			}
		})
		errs := together(writers, rounds, func(i int) error {
			return errOf(e.ReplaceSymlink(e.ctx(), fmt.Sprint("target ", i), p, nil))
		})
		done.Store(true)
		reader.Wait()
		e.must(errors.Join(errs...))
		e.wantNames(e.dir, "link")
	})
	run(t, s, "each parent is created once", func(e env) {
		var mu sync.Mutex
		var made []string
		errs := together(writers, 1, func(i int) error {
			dirs, err := host.MakeParents(e.ctx(), e.Host, e.path(fmt.Sprintf("a/b/c/d/%d", i)), host.Attributes{})
			mu.Lock()
			defer mu.Unlock()
			made = append(made, dirs...)
			return err
		})
		e.must(errors.Join(errs...))
		slices.Sort(made)
		want := []string{e.path("a"), e.path("a/b"), e.path("a/b/c"), e.path("a/b/c/d")}
		if !slices.Equal(made, want) {
			e.Errorf("made %q, want %q", made, want)
		}
	})
}
