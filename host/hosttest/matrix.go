package hosttest

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// kind describes the object at a path, or that there is none.
type kind struct {
	name string
	typ  host.FileType
	make func(e env, name string) (made bool) // made is false if the host cannot create the object
}

const (
	keptFile  = "kept file" // target of links
	keptDir   = "kept dir"
	movedFile = "moved file" // source of renames
	movedDir  = "moved dir"
	otherName = "other name" // destination of links and renames
)

var kinds = []kind{
	{"nothing", host.TypeUnknown, always(func(env, string) {})},
	{"file", host.TypeRegular, always(func(e env, n string) { e.put(n, "old") })},
	{"directory", host.TypeDirectory, always(func(e env, n string) { e.mkdir(n) })},
	{"full directory", host.TypeDirectory, always(func(e env, n string) { e.mkdir(n); e.put(n+"/inside", "old") })},
	{"link to file", host.TypeSymlink, always(func(e env, n string) { e.symlink(keptFile, n) })},
	{"link to directory", host.TypeSymlink, always(func(e env, n string) { e.symlink(keptDir, n) })},
	{"dangling link", host.TypeSymlink, always(func(e env, n string) { e.symlink("not there", n) })},
	{"link to itself", host.TypeSymlink, always(func(e env, n string) { e.symlink(n, n) })},
	{"named pipe", host.TypeFIFO, env.fifo},
}

// always returns a make function for kinds that every host can create.
func always(do func(e env, name string)) func(env, string) bool {
	return func(e env, name string) bool {
		e.Helper()
		do(e, name)
		return true
	}
}

// operation is a call of one method or function. For each kind in refuses, the call must return an error that
// matches the errors listed there; for any other kind, it must succeed. A call that fails must change nothing.
type operation struct {
	name    string
	do      func(e env, ctx context.Context, path string) error
	refuses map[string][]error
	makes   bool   // creates an object: rejects reserved names, and path need not exist
	from    string // name of the file or directory that a successful call renames
}

// removeLink is the name of the only operation that accepts only links.
const removeLink = "RemoveOnly a link"

// prepare creates what the operation needs at its path.
func (op operation) prepare(e env, name string) {
	switch {
	case op.name == "ReadDir", op.name == "Rmdir", op.name == "SetAttributes of a directory":
		e.mkdir(name)
	case op.name == removeLink:
		e.symlink("nowhere", name)
	case !op.makes && !strings.HasSuffix(op.name, " to"):
		e.put(name, "old")
	}
}

var (
	errRegular = []error{host.ErrNotRegular}
	notThere   = []error{fs.ErrNotExist}
	taken      = []error{fs.ErrExist}
	regularDir = []error{host.ErrNotRegular, host.ErrIsDirectory}
	regularLnk = []error{host.ErrNotRegular, host.ErrIsSymlink}
	dirLnk     = []error{host.ErrNotDirectory, host.ErrIsSymlink}
	notDir     = []error{host.ErrNotDirectory}
	isDir      = []error{host.ErrIsDirectory}
	notLink    = []error{host.ErrNotSymlink}
	isLink     = []error{host.ErrIsSymlink}
)

// links adds errs for all kinds of links to rest, and returns rest.
func links(errs []error, rest map[string][]error) map[string][]error {
	for _, k := range kinds {
		if k.typ == host.TypeSymlink {
			rest[k.name] = errs
		}
	}
	return rest
}

// notRegular are the errors of operations that need a regular file.
var notRegular = links(regularLnk, map[string][]error{
	"nothing": notThere, "directory": regularDir, "full directory": regularDir, "named pipe": errRegular,
})

// notDirectory are the errors of operations that need a directory.
var notDirectory = links(dirLnk, map[string][]error{"nothing": notThere, "file": notDir, "named pipe": notDir})

// allBut returns errs for every kind except the named ones.
func allBut(errs []error, names ...string) map[string][]error {
	refuses := map[string][]error{}
	for _, k := range kinds {
		refuses[k.name] = errs
	}
	for _, name := range names {
		delete(refuses, name)
	}
	return refuses
}

// operations returns operations of all methods of [host.Files], and of Digest and RemoveOnly.
func operations() []operation {
	return []operation{
		{
			name: "Lstat", refuses: map[string][]error{"nothing": notThere},
			do: func(e env, ctx context.Context, p string) error { _, err := e.Lstat(ctx, p); return err },
		},
		{
			name: "Open", refuses: notRegular,
			do: func(e env, ctx context.Context, p string) error {
				_, r, err := e.Open(ctx, p)
				if err != nil {
					return err
				}
				return r.Close()
			},
		},
		{
			name: "Digest", refuses: notRegular,
			do: func(e env, ctx context.Context, p string) error { _, _, err := host.Digest(ctx, e.Host, p); return err },
		},
		{
			name: "ReadDir", refuses: notDirectory,
			do: func(e env, ctx context.Context, p string) error { _, err := e.ReadDir(ctx, p); return err },
		},
		{
			name: "WriteFile", makes: true, refuses: links(regularLnk, map[string][]error{
				"directory": regularDir, "full directory": regularDir, "named pipe": errRegular,
			}),
			do: func(e env, ctx context.Context, p string) error {
				return errOf(e.WriteFile(ctx, p, strings.NewReader("new"), host.WriteOptions{}))
			},
		},
		{
			name: "WriteFile exclusively", makes: true, refuses: allBut(taken, "nothing"),
			do: func(e env, ctx context.Context, p string) error {
				return errOf(e.WriteFile(ctx, p, strings.NewReader("new"), host.WriteOptions{Exclusive: true}))
			},
		},
		{
			name: "RemoveTemp",
			do:   func(e env, ctx context.Context, p string) error { return e.RemoveTemp(ctx, p) },
		},
		{
			name: "Mkdir", makes: true, refuses: allBut(taken, "nothing"),
			do: func(e env, ctx context.Context, p string) error { return errOf(e.Mkdir(ctx, p, host.Attributes{})) },
		},
		{
			name: "Remove", refuses: map[string][]error{
				"nothing": notThere, "directory": isDir, "full directory": isDir,
			},
			do: func(e env, ctx context.Context, p string) error { return e.Remove(ctx, p) },
		},
		{
			name: "RemoveOnly a file", refuses: notRegular,
			do: func(e env, ctx context.Context, p string) error {
				return host.RemoveOnly(ctx, e.Host, p, host.TypeRegular)
			},
		},
		{
			name: removeLink, refuses: map[string][]error{
				"nothing": notThere, "file": notLink, "named pipe": notLink,
				"directory":      {host.ErrNotSymlink, host.ErrIsDirectory},
				"full directory": {host.ErrNotSymlink, host.ErrIsDirectory},
			},
			do: func(e env, ctx context.Context, p string) error {
				return host.RemoveOnly(ctx, e.Host, p, host.TypeSymlink)
			},
		},
		{
			name: "Rmdir", refuses: links(dirLnk, map[string][]error{
				"nothing": notThere, "file": notDir, "named pipe": notDir, "full directory": {host.ErrNotEmpty},
			}),
			do: func(e env, ctx context.Context, p string) error { return e.Rmdir(ctx, p) },
		},
		{
			name: "Symlink", makes: true, refuses: allBut(taken, "nothing"),
			do: func(e env, ctx context.Context, p string) error { _, err := e.Symlink(ctx, "new", p); return err },
		},
		{
			name: "ReplaceSymlink", makes: true, refuses: map[string][]error{
				"file": notLink, "named pipe": notLink,
				"directory":      {host.ErrNotSymlink, host.ErrIsDirectory},
				"full directory": {host.ErrNotSymlink, host.ErrIsDirectory},
			},
			do: func(e env, ctx context.Context, p string) error { return errOf(e.ReplaceSymlink(ctx, "new", p, nil)) },
		},
		{
			name: "SetAttributes of mode", refuses: links(isLink, map[string][]error{"nothing": notThere}),
			do: func(e env, ctx context.Context, p string) error {
				return errOf(e.SetAttributes(ctx, p, host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o750))}))
			},
		},
		{
			name: "SetAttributes of owner", refuses: map[string][]error{"nothing": notThere},
			do: func(e env, ctx context.Context, p string) error {
				own := e.lstat(e.path(keptFile))
				_, err := e.SetAttributes(ctx, p, host.TypeUnknown, host.Attributes{UID: &own.UID, GID: &own.GID})
				return err
			},
		},
		{
			name: "SetAttributes of a file", refuses: notRegular,
			do: func(e env, ctx context.Context, p string) error {
				return errOf(e.SetAttributes(ctx, p, host.TypeRegular, host.Attributes{Mode: new(host.Mode(0o750))}))
			},
		},
		{
			name: "SetAttributes of a directory", refuses: notDirectory,
			do: func(e env, ctx context.Context, p string) error {
				return errOf(e.SetAttributes(ctx, p, host.TypeDirectory, host.Attributes{Mode: new(host.Mode(0o750))}))
			},
		},
		{
			name: "Link from", refuses: notRegular,
			do: func(e env, ctx context.Context, p string) error { return e.Link(ctx, p, e.path(otherName)) },
		},
		{
			name: "Rename from", refuses: map[string][]error{"nothing": notThere},
			do: func(e env, ctx context.Context, p string) error { return e.Rename(ctx, p, e.path(otherName)) },
		},
		// In the operations below, the tested path is the destination, and the source exists.
		{
			name: "Link to", refuses: allBut(taken, "nothing"),
			do: func(e env, ctx context.Context, p string) error { return e.Link(ctx, e.path(keptFile), p) },
		},
		{
			name: "Rename a file to", refuses: map[string][]error{"directory": isDir, "full directory": isDir},
			from: movedFile, do: func(e env, ctx context.Context, p string) error { return e.Rename(ctx, e.path(movedFile), p) },
		},
		{
			name: "Rename a directory to", refuses: links(notDir, map[string][]error{
				"file": notDir, "named pipe": notDir, "full directory": {host.ErrNotEmpty},
			}),
			from: movedDir, do: func(e env, ctx context.Context, p string) error { return e.Rename(ctx, e.path(movedDir), p) },
		},
	}
}

// testMatrix runs each operation on each kind: first the combinations that must fail and
// change nothing, then the others.
func testMatrix(t *testing.T, s suite) {
	for _, op := range operations() {
		run(t, s, op.name, func(e env) {
			e.putSources()
			e.mkdir(keptDir)
			e.put(keptDir+"/inside", "kept")
			var accepted []kind
			made := map[string]bool{}
			for _, k := range kinds {
				made[k.name] = k.make(e, k.name)
			}
			before := e.snapshot(e.dir)
			for _, k := range kinds {
				if want, refused := op.refuses[k.name]; !refused {
					accepted = append(accepted, k)
				} else if made[k.name] {
					e.wantError(op.do(e, e.ctx(), e.path(k.name)), e.path(k.name), want...)
				}
			}
			e.wantSnapshot(e.dir, before)
			for _, k := range accepted {
				if !made[k.name] {
					continue
				}
				if err := op.do(e, e.ctx(), e.path(k.name)); err != nil {
					e.Errorf("%s: %v", k.name, err)
				}
				e.removeAll(otherName)
				e.restoreSources(op)
			}
			e.wantContent(e.path(keptFile), "kept")
			e.wantContent(e.path(keptDir)+"/inside", "kept")
		})
	}
}

// putSources creates the sources of operations with two paths.
func (e env) putSources() {
	e.Helper()
	e.put(keptFile, "kept")
	e.put(movedFile, "moved")
	e.mkdir(movedDir)
}

// restoreSources creates the source again after a successful rename.
func (e env) restoreSources(op operation) {
	e.Helper()
	switch op.from {
	case movedFile:
		e.put(movedFile, "moved")
	case movedDir:
		e.removeAll(movedDir)
		e.mkdir(movedDir)
	}
}

// snapshot returns the info of each object below dir, without the fields that are unspecified.
func (e env) snapshot(dir string) map[string]host.FileInfo {
	e.Helper()
	all := map[string]host.FileInfo{}
	for _, name := range e.names(dir) {
		info := e.lstat(dir + "/" + name)
		if info.Type == host.TypeDirectory {
			maps.Copy(all, e.snapshot(info.Path))
			info.Size = 0 // the size of a directory is unspecified
		}
		all[info.Path] = info
	}
	return all
}

func (e env) wantSnapshot(dir string, want map[string]host.FileInfo) {
	e.Helper()
	got := e.snapshot(dir)
	for p, w := range want {
		g, ok := got[p]
		if g.Type == host.TypeDirectory { // creating and removing a file changes the directory's time
			g.ModTime = w.ModTime
		}
		if !ok || g != w {
			e.Errorf("%s is %+v, want %+v", p, g, w)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			e.Errorf("%s is new", p)
		}
	}
}

// testContexts runs each operation, lookups and a command with a context that has ended, and reads from a file after
// the context of Open has ended.
func testContexts(t *testing.T, s suite) {
	ends := map[string]func(ctx context.Context) (context.Context, context.CancelFunc, error){
		"canceled": func(ctx context.Context) (context.Context, context.CancelFunc, error) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel, context.Canceled
		},
		"too late": func(ctx context.Context) (context.Context, context.CancelFunc, error) {
			ctx, cancel := context.WithTimeout(ctx, 0)
			return ctx, cancel, context.DeadlineExceeded
		},
	}
	for _, name := range []string{"canceled", "too late"} {
		run(t, s, name, func(e env) {
			e.putSources()
			before := e.snapshot(e.dir)
			ctx, cancel, want := ends[name](e.ctx())
			defer cancel()
			for _, op := range operations() {
				err := op.do(e, ctx, e.path("new"))
				if !errors.Is(err, want) {
					e.Errorf("%s: error %v, want %v", op.name, err, want)
				}
				if errors.Is(err, fs.ErrNotExist) {
					e.Errorf("%s: error %v matches fs.ErrNotExist", op.name, err)
				}
			}
			e.wantSnapshot(e.dir, before)
		})
		run(t, s, "accounts and commands "+name, func(e env) {
			ctx, cancel, want := ends[name](e.ctx())
			defer cancel()
			e.wantError(errOf(e.LookupUser(ctx, "root")), "", want)
			e.wantError(errOf(e.LookupGroup(ctx, "0")), "", want)
			e.wantError(errOf(e.Run(ctx, host.Command{Args: []string{"true"}})), "", want)
		})
	}
	run(t, s, "Read fails after its context ends", func(e env) {
		p := e.put("file", strings.Repeat("x", 1<<20))
		ctx, cancel := context.WithCancel(e.ctx())
		_, r, err := e.Open(ctx, p)
		e.must(err)
		buf := make([]byte, 10)
		_, err = r.Read(buf)
		e.must(err)
		cancel()
		for err = nil; err == nil; { // buffered data may still arrive
			_, err = r.Read(buf)
		}
		e.wantError(err, p, context.Canceled)
		e.must(r.Close())
	})
}

// testPaths runs each operation on invalid paths, on paths at which nothing can exist, and on a path below a link.
func testPaths(t *testing.T, s suite) {
	bad := []string{
		"", "file", "./file", "~/file", "DIR/file/", "DIR//file", "DIR/./file", "DIR/x/../file", "DIR/.", "DIR/file/..", "DIR/a\x00b", "//",
	}
	for _, op := range operations() {
		run(t, s, op.name, func(e env) {
			e.putSources()
			e.mkdir("real")
			e.symlink("real", "via")
			op.prepare(e, "real/x")
			before := e.snapshot(e.dir)
			for _, path := range bad {
				p := strings.Replace(path, "DIR", e.dir, 1)
				e.wantError(op.do(e, e.ctx(), p), p, host.ErrInvalidPath)
			}
			for _, missing := range []string{"missing/x", keptFile + "/x"} {
				p := e.path(missing)
				if err := op.do(e, e.ctx(), p); op.name != "RemoveTemp" || err != nil {
					e.wantError(err, p, fs.ErrNotExist)
				}
			}
			if op.makes {
				for _, p := range []string{host.TempPath(e.path("x"), ""), "/"} {
					e.wantError(op.do(e, e.ctx(), p), p, host.ErrInvalidPath)
				}
			}
			e.wantSnapshot(e.dir, before)

			e.must(op.do(e, e.ctx(), e.path("via/x")))
			if info := e.lstat(e.path("via")); info.Type != host.TypeSymlink {
				e.Errorf("the type of the link is %s, want %s", info.Type, host.TypeSymlink)
			}
		})
	}
	run(t, s, "root directory", func(e env) {
		info := e.lstat("/")
		if info.Type != host.TypeDirectory || info.Path != "/" {
			e.Errorf("Lstat of / returned %+v, want a directory with the path /", info)
		}
		e.must(errOf(e.ReadDir(e.ctx(), "/")))
		e.wantError(e.Remove(e.ctx(), "/"), "/", host.ErrIsDirectory)
	})
}
