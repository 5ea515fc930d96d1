package hosttest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

func testLinks(t *testing.T, s suite) {
	targets := []string{
		"file", "/absolute/path", "../up", ".", "..", "/", "//double//slashes/", "trailing/", "with space", "trailing\n",
		"new\nline", "-dash", "$(touch x)`id`", "é", "\xff\xfe", "\"quoted\"", "'", "%s", strings.Repeat("x", 1000),
	}
	for _, target := range targets {
		run(t, s, fmt.Sprintf("target %.20q", target), func(e env) {
			info, err := e.Symlink(e.ctx(), target, e.path("new"))
			e.must(err)
			if info.LinkTarget != target || info.Type != host.TypeSymlink || info != e.lstat(e.path("new")) {
				e.Errorf("Symlink returned %+v, Lstat %+v, want the same with the target %q", info, e.lstat(e.path("new")), target)
			}
			for _, name := range []string{"replaced", "replaced"} {
				info, err = e.ReplaceSymlink(e.ctx(), target, e.path(name), nil)
				e.must(err)
				if info.LinkTarget != target || info != e.lstat(e.path(name)) {
					e.Errorf("ReplaceSymlink returned %+v, Lstat %+v, want the same with the target %q", info, e.lstat(e.path(name)), target)
				}
			}
			p, before := e.path("replaced"), e.snapshot(e.dir)
			_, err = e.ReplaceSymlink(e.ctx(), "next", p, new(target+"x"))
			e.wantError(err, p)
			if other, is := errors.AsType[*host.TargetError](err); !is || other.Got != target {
				e.Errorf("error %v, want a TargetError with %q", err, target)
			}
			kept, err := e.ReplaceSymlink(e.ctx(), target, p, new("old"))
			e.must(err)
			if kept != info {
				e.Errorf("ReplaceSymlink with the current target returned %+v, want %+v", kept, info)
			}
			e.wantSnapshot(e.dir, before)
			info, err = e.ReplaceSymlink(e.ctx(), "next", p, &target)
			e.must(err)
			if info.LinkTarget != "next" || info != e.lstat(p) {
				e.Errorf("ReplaceSymlink returned %+v, Lstat %+v, want the same with the target next", info, e.lstat(p))
			}
			e.wantNames(e.dir, "new", "replaced")
		})
	}
	for _, target := range []string{"", "a\x00b"} {
		run(t, s, fmt.Sprintf("no target %q", target), func(e env) {
			e.wantError(errOf(e.Symlink(e.ctx(), target, e.path("link"))), e.path("link"), host.ErrInvalidPath)
			e.wantError(errOf(e.ReplaceSymlink(e.ctx(), target, e.path("link"), nil)), e.path("link"), host.ErrInvalidPath)
			e.wantNames(e.dir)
		})
	}
	for _, name := range []string{"link", strings.Repeat("n", 255)} {
		run(t, s, fmt.Sprintf("leftover of %.5s is removed", name), func(e env) {
			p := e.path(name)
			for _, left := range []string{"a link", "a file"} {
				if left == "a link" {
					e.symlink("left", "left")
				} else {
					e.put("left", "left")
				}
				e.must(e.Rename(e.ctx(), e.path("left"), host.TempPath(p, "")))
				e.must(errOf(e.ReplaceSymlink(e.ctx(), "new "+left, p, nil)))
				e.must(e.RemoveTemp(e.ctx(), p))
				if got := e.lstat(p).LinkTarget; got != "new "+left {
					e.Errorf("the target is %q, want %q", got, "new "+left)
				}
				e.wantNames(e.dir, name)
			}
		})
	}
	run(t, s, "ReplaceSymlink of a certain target", func(e env) {
		p := e.path("missing")
		info, err := e.ReplaceSymlink(e.ctx(), "new", p, new("old"))
		e.must(err)
		if info.LinkTarget != "new" || info != e.lstat(p) {
			e.Errorf("ReplaceSymlink returned %+v, Lstat %+v, want the same with the target new", info, e.lstat(p))
		}
		file := e.put("file", "kept")
		e.wantError(errOf(e.ReplaceSymlink(e.ctx(), "new", file, new("old"))), file, host.ErrNotSymlink)
		e.wantContent(file, "kept")
		e.wantNames(e.dir, "file", "missing")
	})
	run(t, s, "ReplaceSymlink keeps the old target", func(e env) {
		e.put("file", "kept")
		e.mkdir("dir")
		e.put("dir/file", "kept")
		for _, target := range []string{"file", "dir"} {
			e.must(errOf(e.ReplaceSymlink(e.ctx(), target, e.path("link"), nil)))
			e.must(errOf(e.ReplaceSymlink(e.ctx(), "elsewhere", e.path("link"), nil)))
			e.wantNames(e.dir, "dir", "file", "link")
			e.wantNames(e.path("dir"), "file")
		}
		e.must(e.Remove(e.ctx(), e.path("link")))
		e.wantContent(e.path("file"), "kept")
		e.wantContent(e.path("dir/file"), "kept")
	})
	run(t, s, "through directories", func(e env) {
		e.mkdir("dir")
		e.put("dir/file", "old")
		e.symlink("dir", "one")
		e.symlink(e.path("one"), "two")
		e.wantContent(e.path("two/file"), "old")
		e.put("two/file", "new")
		e.wantContent(e.path("dir/file"), "new")
		e.wantNames(e.path("dir"), "file")
		if info := e.lstat(e.path("two/file")); info.Path != e.path("two/file") {
			e.Errorf("the path is %s, want %s", info.Path, e.path("two/file"))
		}
	})
	run(t, s, "Link", func(e env) {
		p := e.put("file", "one")
		e.must(e.Link(e.ctx(), p, e.path("other")))
		e.must(e.setMode(p, 0o600))
		if got := e.lstat(e.path("other")); got.Mode != 0o600 {
			e.Errorf("the other name has mode %s, want 0600", got.Mode)
		}
		e.must(e.Remove(e.ctx(), p))
		e.wantContent(e.path("other"), "one")
		e.wantNames(e.dir, "other")
	})
}
