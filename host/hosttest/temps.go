package hosttest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// leave creates a file where a killed writer of target would leave its temporary file, and returns
// the path of the file.
func (e env) leave(target, variant string) string {
	e.Helper()
	p := host.TempPath(e.path(target), variant)
	e.put("left", pattern(1000))
	e.must(e.Rename(e.ctx(), e.path("left"), p))
	return p
}

// testTemps checks which operations remove temporary files, and that writers of one path wait for each other.
func testTemps(t *testing.T, s suite) {
	removers := []struct {
		name   string
		do     func(e env, p string) error
		left   []string
		exists bool // the file exists before; its write removes leftovers
	}{
		{"WriteFile", func(e env, p string) error {
			return errOf(e.WriteFile(e.ctx(), p, strings.NewReader("new"), host.WriteOptions{}))
		}, []string{"file"}, false},
		{"exclusive WriteFile", func(e env, p string) error {
			return errOf(e.WriteFile(e.ctx(), p, strings.NewReader("new"), host.WriteOptions{Exclusive: true}))
		}, []string{"file"}, false},
		{"RemoveTemp", func(e env, p string) error { return e.RemoveTemp(e.ctx(), p) }, nil, false},
		{"Remove", func(e env, p string) error { return e.Remove(e.ctx(), p) }, nil, true},
		{"RemoveOnly", func(e env, p string) error { return host.RemoveOnly(e.ctx(), e.Host, p, host.TypeRegular) }, nil, true},
		{"Remove of a missing file", func(e env, p string) error {
			e.wantError(e.Remove(e.ctx(), p), p, notThere...)
			return nil
		}, nil, false},
	}
	odd := []string{strings.Repeat("n", 255), "-rf", "a\nb"}
	for i, remover := range removers {
		for _, name := range []string{"file", odd[i%len(odd)]} {
			run(t, s, fmt.Sprintf("%s removes a leftover of %.5q", remover.name, name), func(e env) {
				if remover.exists {
					e.put(name, "old")
				}
				e.leave(name, "")
				other := e.leave("other", "")
				e.must(remover.do(e, e.path(name)))
				want := []string{other[len(e.dir)+1:]}
				if remover.left != nil {
					want = append(want, name)
					e.wantContent(e.path(name), "new")
				}
				e.wantNames(e.dir, want...)
			})
		}
		run(t, s, remover.name+" removes a second name of the file", func(e env) {
			// A writer that is killed between link and unlink leaves both names.
			if remover.name == "exclusive WriteFile" || strings.HasPrefix(remover.name, "Remove") && remover.name != "RemoveTemp" {
				e.Skip("the operation needs a path without a file, or creates a file")
			}
			p := e.put("file", "new")
			temp := e.leave("file", "")
			e.must(e.Remove(e.ctx(), temp))
			e.must(e.Link(e.ctx(), p, temp))
			e.must(remover.do(e, p))
			e.wantNames(e.dir, "file")
			e.wantContent(p, "new")
		})
		run(t, s, remover.name+" removes a leftover link", func(e env) {
			if remover.exists {
				e.put("file", "old")
			}
			e.symlink(keptFile, "left")
			e.put(keptFile, "kept")
			e.must(e.Rename(e.ctx(), e.path("left"), host.TempPath(e.path("file"), "")))
			e.must(remover.do(e, e.path("file")))
			e.wantNames(e.dir, append(remover.left, keptFile)...)
			e.wantContent(e.path(keptFile), "kept")
		})
	}
	run(t, s, "leftovers with variants are removed", func(e env) {
		e.leave("file", "")
		e.leave("file", "abcdef")
		e.leave("file", "123456")
		other := e.leave("file2", "abcdef")
		e.put("file", "new")
		e.wantNames(e.dir, "file", other[len(e.dir)+1:])
	})
	run(t, s, "unreadable leftover is removed", func(e env) {
		e.must(e.setMode(e.leave("file", ""), 0))
		e.put("file", "new")
		e.wantNames(e.dir, "file")
	})
	run(t, s, "directory with a temporary name is kept", func(e env) {
		temp := host.TempPath(e.path("file"), "")
		e.must(e.Rename(e.ctx(), e.mkdir("dir"), temp))
		e.put("file", "new")
		e.must(e.RemoveTemp(e.ctx(), e.path("file")))
		e.wantNames(e.dir, "file", temp[len(e.dir)+1:])
	})
	for _, exclusive := range []bool{false, true} {
		run(t, s, fmt.Sprintf("temporary file in use is kept, exclusive %t", exclusive), func(e env) {
			p := e.path("file")
			release := make(chan struct{})
			first := e.startWrite(p, "first", host.WriteOptions{Exclusive: exclusive}, release)
			e.must(e.RemoveTemp(e.ctx(), p))
			e.wantError(e.Remove(e.ctx(), p), p, notThere...)
			e.wantAbsent(p)
			// The second writer waits a while for the first, then proceeds.
			start := time.Now()
			e.must(errOf(e.WriteFile(e.ctx(), p, strings.NewReader("second"), host.WriteOptions{})))
			if waited := time.Since(start); waited > time.Minute {
				e.Errorf("the second writer waited %s, want at most a minute", waited)
			}
			e.wantContent(p, "second")
			close(release)
			if err := <-first; exclusive {
				e.wantError(err, p, taken...)
				e.wantContent(p, "second")
			} else {
				e.must(err)
				e.wantContent(p, "first")
			}
			e.wantNames(e.dir, "file")
		})
	}
	run(t, s, "waiting writer is canceled", func(e env) {
		p := e.path("file")
		release := make(chan struct{})
		first := e.startWrite(p, "first", host.WriteOptions{}, release)
		ctx, cancel := context.WithTimeout(e.ctx(), 50*time.Millisecond)
		defer cancel()
		e.wantError(errOf(e.WriteFile(ctx, p, strings.NewReader("second"), host.WriteOptions{})), p, context.DeadlineExceeded)
		close(release)
		e.must(<-first)
		e.wantContent(p, "first")
		e.wantNames(e.dir, "file")
	})
	run(t, s, "waiting writer continues after the first", func(e env) {
		p := e.path("file")
		release := make(chan struct{})
		first := e.startWrite(p, "first", host.WriteOptions{}, release)
		var wait sync.WaitGroup
		wait.Go(func() {
			time.Sleep(20 * time.Millisecond)
			close(release)
		})
		e.must(errOf(e.WriteFile(e.ctx(), p, strings.NewReader("second"), host.WriteOptions{})))
		wait.Wait()
		e.must(<-first)
		if got := e.content(p); got != "first" && got != "second" {
			e.Errorf("content is %s, want first or second", brief(got))
		}
		e.wantNames(e.dir, "file")
	})
}

// startWrite begins to write content and returns once all of it has been read. The write ends after
// release is closed; the returned channel receives the error of the write.
func (e env) startWrite(p, content string, opts host.WriteOptions, release <-chan struct{}) <-chan error {
	e.Helper()
	started, ended := make(chan struct{}), make(chan error, 1)
	source := io.MultiReader(strings.NewReader(content), readerFunc(func([]byte) (int, error) {
		close(started)
		<-release
		return 0, io.EOF
	}))
	go func() {
		_, err := e.WriteFile(e.ctx(), p, source, opts)
		ended <- err
	}()
	select {
	case <-started:
	case err := <-ended:
		e.Fatalf("the first writer ended early: %v", err)
	}
	return ended
}
