package hosttest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// tree creates a directory with files, directories and symbolic links below it, and returns its
// path.
func (e env) tree() string {
	e.Helper()
	e.mkdir("tree")
	e.mkdir("tree/a")
	e.mkdir("tree/a/b")
	e.put("tree/a/file", "one")
	e.putMode("tree/a/b/deep", "two", 0o600)
	e.put("tree/empty", "")
	e.symlink("a/file", "tree/link")
	e.symlink("a", "tree/way")
	return e.path("tree")
}

func (e env) readTree(root string, q host.TreeQuery) map[string]host.TreeEntry {
	e.Helper()
	entries, err := host.ReadTree(e.ctx(), e.Host, root, q)
	e.must(err)
	if !slices.IsSortedFunc(entries, func(a, b host.TreeEntry) int { return cmp.Compare(a.Path, b.Path) }) {
		e.Errorf("ReadTree of %s returned %+v, want entries sorted by path", root, entries)
	}
	byPath := map[string]host.TreeEntry{}
	for _, entry := range entries {
		byPath[entry.Path] = entry
		want := e.lstat(path.Join(root, entry.Path))
		want.Path = entry.Path
		want.ModTime, entry.ModTime = want.ModTime.Truncate(time.Second), entry.ModTime.Truncate(time.Second)
		if want.Type != host.TypeRegular {
			want.Size = entry.Size
		}
		if entry.FileInfo != want {
			e.Errorf("the entry of %s is %+v, want %+v as from Lstat", host.QuotePath(entry.Path), entry.FileInfo, want)
		}
		if sum := entry.SHA256; sum != nil && *sum != sha256.Sum256([]byte(e.content(path.Join(root, entry.Path)))) {
			e.Errorf("%s has the digest %x, want that of its content", host.QuotePath(entry.Path), *sum)
		}
	}
	if len(byPath) != len(entries) {
		e.Errorf("%d entries have %d different paths, want one path for each entry", len(entries), len(byPath))
	}
	return byPath
}

func testReadTree(t *testing.T, s suite) {
	all := []string{".", "a", "a/b", "a/b/deep", "a/file", "empty", "link", "way"}
	for _, tt := range []struct {
		name    string
		q       host.TreeQuery
		want    []string
		digests []string
	}{
		{name: "only the root", want: []string{"."}},
		{name: "all", q: host.TreeQuery{All: true}, want: all},
		{name: "all with digests", q: host.TreeQuery{All: true, Digests: true}, want: all, digests: []string{"a/b/deep", "a/file", "empty"}},
		{name: "one level", q: host.TreeQuery{All: true, Depth: 1}, want: []string{".", "a", "empty", "link", "way"}},
		{name: "two levels", q: host.TreeQuery{All: true, Depth: 2}, want: []string{".", "a", "a/b", "a/file", "empty", "link", "way"}},
		{
			name: "some", q: host.TreeQuery{Paths: []string{"a/b", "a/b/deep", "gone", "link", "no/way/there"}, Digests: true},
			want: []string{".", "a/b", "a/b/deep", "link"}, digests: []string{"a/b/deep"},
		},
		{name: "paths through a link or a file", q: host.TreeQuery{Paths: []string{"a/file/x", "way/b/deep", "way/file"}, Digests: true}, want: []string{"."}},
		{
			name: "all with digests of some", q: host.TreeQuery{Paths: []string{"a/file", "gone"}, All: true, Digests: true},
			want: all, digests: []string{"a/file"},
		},
		{name: "as many entries as the limit", q: host.TreeQuery{All: true, Limit: len(all)}, want: all},
	} {
		run(t, s, tt.name, func(e env) {
			found := e.readTree(e.tree(), tt.q)
			var digests []string
			for p, entry := range found {
				if entry.SHA256 != nil {
					digests = append(digests, p)
				}
			}
			slices.Sort(digests)
			if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, tt.want) || !slices.Equal(digests, tt.digests) {
				e.Errorf("got %q with digests of %q, want %q and %q", got, digests, tt.want, tt.digests)
			}
		})
	}
	run(t, s, "odd names", func(e env) {
		root, want := e.mkdir("tree"), []string{"."}
		for i, name := range oddNames {
			e.put("tree/"+name, name)
			want = append(want, name)
			if len(name) < 100 && i%5 == 0 {
				e.symlink(name+"\n", "tree/l"+name)
				e.mkdir("tree/d" + name)
				e.put("tree/d"+name+"/"+name, "x")
				want = append(want, "l"+name, "d"+name, "d"+name+"/"+name)
			}
		}
		slices.Sort(want)
		below := slices.DeleteFunc(slices.Clone(want), func(p string) bool { return p == "." })
		for _, q := range []host.TreeQuery{{All: true, Digests: true}, {Paths: below, Digests: true}} {
			got := e.readTree(root, q)
			for _, p := range want {
				if _, ok := got[p]; !ok {
					e.Errorf("%q is missing", p)
				}
			}
			if len(got) != len(want) {
				e.Errorf("%d entries, want %d", len(got), len(want))
			}
		}
	})
	run(t, s, "many", func(e env) {
		root := e.mkdir("tree")
		var files []host.TreeFile
		for i := range 700 {
			files = append(files, treeFile(fmt.Sprintf("%03d", i), fmt.Sprint(i), 0o644))
		}
		e.must(host.WriteTree(e.ctx(), e.Host, root, files))
		if got := e.readTree(root, host.TreeQuery{All: true, Digests: true}); len(got) != 701 {
			e.Errorf("%d entries, want 701", len(got))
		}
	})
	run(t, s, "no such directory", func(e env) {
		e.wantError(errOf(host.ReadTree(e.ctx(), e.Host, e.path("gone"), host.TreeQuery{All: true})), e.path("gone"), fs.ErrNotExist)
	})
	run(t, s, "not a directory", func(e env) {
		e.tree()
		for _, name := range []string{"tree/empty", "tree/way", "tree/link"} {
			e.wantError(errOf(host.ReadTree(e.ctx(), e.Host, e.path(name), host.TreeQuery{All: true})), e.path(name), host.ErrNotDirectory)
		}
	})
	run(t, s, "more entries than the limit", func(e env) {
		root := e.tree()
		e.wantError(errOf(host.ReadTree(e.ctx(), e.Host, root, host.TreeQuery{All: true, Limit: len(all) - 1})), root, host.ErrTooMany)
	})
	run(t, s, "missing permission", func(e env) {
		if e.privileged() {
			e.Skip("this host's user has all permissions")
		}
		e.tree()
		e.must(e.setMode(e.path("tree/a/file"), 0))
		e.wantError(errOf(host.ReadTree(e.ctx(), e.Host, e.path("tree"), host.TreeQuery{All: true, Digests: true})), e.path("tree/a/file"), fs.ErrPermission)
		e.must(e.setMode(e.path("tree/a/b"), 0))
		_, err := host.ReadTree(e.ctx(), e.Host, e.path("tree"), host.TreeQuery{All: true})
		if !errors.Is(err, fs.ErrPermission) {
			e.Errorf("a directory without permission: error %v, want fs.ErrPermission", err)
		}
		e.must(e.setMode(e.path("tree/a/b"), 0o700))
	})
	run(t, s, "named pipe is not opened", func(e env) {
		e.tree()
		if !e.fifo("tree/pipe") {
			e.Skip("this host cannot make a named pipe")
		}
		if got := e.readTree(e.path("tree"), host.TreeQuery{All: true, Digests: true}); got["pipe"].Type != host.TypeFIFO {
			e.Errorf("the entry of the named pipe is %+v, want the type named pipe", got["pipe"])
		}
	})
	run(t, s, "invalid paths", func(e env) {
		for _, paths := range [][]string{{""}, {"."}, {"/a"}, {"a/"}, {"../a"}, {"b", "a"}, {"a", "a"}} {
			if _, err := host.ReadTree(e.ctx(), e.Host, e.dir, host.TreeQuery{Paths: paths}); err == nil {
				e.Errorf("%q was accepted", paths)
			}
		}
	})
}

func treeFile(name, content string, mode host.Mode) host.TreeFile {
	return host.TreeFile{
		Path: name, Attributes: host.Attributes{Mode: &mode}, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
	}
}

func testWriteTree(t *testing.T, s suite) {
	run(t, s, "new and replaced", func(e env) {
		root := e.tree()
		files := []host.TreeFile{
			treeFile("a/file", "changed", 0o640), treeFile("new", pattern(100_000), 0o755),
			treeFile("a/b/-x", "", 0o600), treeFile("a/b/.hidden", "x", 0o444), treeFile("a/b/setgid", "x", 0o2755),
		}
		for range 2 {
			e.must(host.WriteTree(e.ctx(), e.Host, root, files))
			for _, f := range files {
				b := new(bytes.Buffer)
				r, err := f.Open()
				e.must(err)
				e.must(errOf(io.Copy(b, r)))
				e.wantContent(root+"/"+f.Path, b.String())
				if got := e.lstat(root + "/" + f.Path).Mode; got != *f.Mode {
					e.Errorf("%s has mode %s, want %s", f.Path, got, *f.Mode)
				}
			}
		}
		e.wantNames(root, "a", "empty", "link", "new", "way")
		e.wantNames(root+"/a/b", "-x", ".hidden", "deep", "setgid")
	})
	run(t, s, "odd names", func(e env) {
		root := e.mkdir("tree")
		var files []host.TreeFile
		for _, name := range oddNames {
			files = append(files, treeFile(name, name, 0o644))
		}
		e.must(host.WriteTree(e.ctx(), e.Host, root, files))
		for _, name := range oddNames {
			e.wantContent(root+"/"+name, name)
		}
		e.wantNames(root, slices.Clone(oddNames)...)
	})
	asRoot(t, s, "owners", func(e env) {
		root, f := e.tree(), treeFile("a/file", "x", 0o640)
		f.UID, f.GID = new(uint32(1)), new(uint32(2))
		e.must(host.WriteTree(e.ctx(), e.Host, root, []host.TreeFile{f, treeFile("a/mine", "", 0o644)}))
		if info := e.lstat(root + "/a/file"); info.UID != 1 || info.GID != 2 || info.Mode != 0o640 {
			e.Errorf("a/file is %+v, want UID 1, GID 2 and mode 0640", info)
		}
		if info := e.lstat(root + "/a/mine"); info.UID != e.lstat(e.dir).UID {
			e.Errorf("a/mine is %+v, want the UID %d of the directory", info, e.lstat(e.dir).UID)
		}
	})
	for name, kind := range map[string]string{"a directory": "a", "a link": "link"} {
		run(t, s, "not over "+name, func(e env) {
			root := e.tree()
			if err := host.WriteTree(e.ctx(), e.Host, root, []host.TreeFile{treeFile(kind, "x", 0o644)}); err == nil {
				e.Errorf("WriteTree over %s returned no error", name)
			}
			e.wantContent(root+"/a/file", "one")
			e.wantNames(root, "a", "empty", "link", "way")
		})
	}
	run(t, s, "missing directory", func(e env) {
		root := e.tree()
		err := host.WriteTree(e.ctx(), e.Host, root, []host.TreeFile{treeFile("gone/x", "x", 0o644)})
		if failed, ok := errors.AsType[*host.Error](err); !ok || !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(failed.Path, root+"/gone") {
			e.Errorf("error %v, want fs.ErrNotExist at or below %s", err, root+"/gone")
		}
		e.put("tree/gone", "")
		err = host.WriteTree(e.ctx(), e.Host, root, []host.TreeFile{treeFile("gone/x", "x", 0o644)})
		if failed, ok := errors.AsType[*host.Error](err); !ok || !strings.HasPrefix(failed.Path, root+"/gone") || failed.Path == root+"/gone" && errors.Is(err, fs.ErrNotExist) {
			e.Errorf("below a file: error %v, want an error at or below %s, not fs.ErrNotExist for that path", err, root+"/gone")
		}
		e.removeAll("tree/gone")
		e.wantNames(root, "a", "empty", "link", "way")
	})
	for name, spoil := range map[string]func(f *host.TreeFile){
		"shorter": func(f *host.TreeFile) { f.Size++ },
		"longer":  func(f *host.TreeFile) { f.Size-- },
		"missing": func(f *host.TreeFile) { f.Open = func() (io.ReadCloser, error) { return nil, fs.ErrNotExist } },
	} {
		run(t, s, "source is "+name, func(e env) {
			root, f := e.tree(), treeFile("a/file", "changed", 0o644)
			spoil(&f)
			err := host.WriteTree(e.ctx(), e.Host, root, []host.TreeFile{f})
			if source, is := errors.AsType[*host.SourceError](err); !is || errors.Is(err, fs.ErrNotExist) {
				e.Errorf("error %v, source %v, want a SourceError that does not match fs.ErrNotExist", err, source)
			}
			e.wantContent(root+"/a/file", "one")
			e.wantNames(root, "a", "empty", "link", "way")
		})
	}
	run(t, s, "canceled", func(e env) {
		root, f := e.tree(), treeFile("a/file", "changed", 0o644)
		ctx, cancel := context.WithCancel(e.ctx())
		f.Open = func() (io.ReadCloser, error) {
			cancel()
			return io.NopCloser(strings.NewReader("changed")), nil
		}
		if err := host.WriteTree(ctx, e.Host, root, []host.TreeFile{f}); !errors.Is(err, context.Canceled) {
			e.Errorf("error %v, want %v", err, context.Canceled)
		}
		e.wantContent(root+"/a/file", "one")
		e.wantNames(root, "a", "empty", "link", "way")
		e.must(host.WriteTree(e.ctx(), e.Host, root, []host.TreeFile{treeFile("a/file", "again", 0o644)}))
		e.wantNames(root, "a", "empty", "link", "way")
	})
	run(t, s, "no files", func(e env) { e.must(host.WriteTree(e.ctx(), e.Host, e.tree(), nil)) })
	run(t, s, "invalid files", func(e env) {
		for _, f := range []host.TreeFile{treeFile("", "", 0o644), treeFile("../x", "", 0o644), treeFile("a/.b.posix-tmp", "", 0o644), {Path: "a"}} {
			if err := host.WriteTree(e.ctx(), e.Host, e.dir, []host.TreeFile{f}); err == nil {
				e.Errorf("%q was written", f.Path)
			}
		}
	})
}
