package hosttest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

func testList(t *testing.T, s suite) {
	run(t, s, "empty directory", func(e env) {
		entries, err := e.ReadDir(e.ctx(), e.dir)
		e.must(err)
		if len(entries) != 0 {
			e.Errorf("ReadDir of an empty directory returned %+v, want no entries", entries)
		}
	})
	run(t, s, "types, sorted by bytes", func(e env) {
		e.put("b", "")
		e.put("B", "")
		e.put("a.txt", "")
		e.put(".hidden", "")
		e.put("é", "")
		e.put("\xff", "")
		e.mkdir("dir")
		e.put("dir/not listed", "")
		e.symlink("dir", "link")
		want := []host.DirEntry{
			{Name: ".hidden", Type: host.TypeRegular},
			{Name: "B", Type: host.TypeRegular},
			{Name: "a.txt", Type: host.TypeRegular},
			{Name: "b", Type: host.TypeRegular},
			{Name: "dir", Type: host.TypeDirectory},
			{Name: "link", Type: host.TypeSymlink},
			{Name: "é", Type: host.TypeRegular},
			{Name: "\xff", Type: host.TypeRegular},
		}
		got, err := e.ReadDir(e.ctx(), e.dir)
		e.must(err)
		if !slices.Equal(got, want) {
			e.Errorf("got %+v, want %+v", got, want)
		}
	})
	run(t, s, "a named pipe", func(e env) {
		if !e.fifo("pipe") {
			e.Skip("this host cannot make a named pipe")
		}
		got, err := e.ReadDir(e.ctx(), e.dir)
		e.must(err)
		if want := []host.DirEntry{{Name: "pipe", Type: host.TypeFIFO}}; !slices.Equal(got, want) {
			e.Errorf("got %+v, want %+v", got, want)
		}
	})
	run(t, s, "many", func(e env) {
		const many = 2000
		e.must(e.fill(many))
		names := e.names(e.dir)
		if len(names) != many {
			e.Fatalf("%d names, want %d", len(names), many)
		}
		for n, name := range names {
			if want := fmt.Sprintf("%06d", n); name != want {
				e.Fatalf("name %d is %q, want %q", n, name, want)
			}
		}
	})
}

// fill creates many files with numbers as names, with one command if the host runs
// commands.
func (e env) fill(many int) error {
	const script = `cd "$1" && n=1000000 && while [ "$n" -lt "$((1000000 + $2))" ]; do : >"${n#1}" && n=$((n + 1)) || exit; done`
	result, err := e.Run(e.ctx(), host.Command{Args: shell(script, e.dir, strconv.Itoa(many))})
	if err == nil && result.ExitCode != 0 {
		err = fmt.Errorf("exit code %d", result.ExitCode)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return errors.Join(together(10, 1, func(i int) error {
		for n := i; n < many; n += 10 {
			_, err := e.WriteFile(e.ctx(), e.path(fmt.Sprintf("%06d", n)), strings.NewReader("x"), host.WriteOptions{NoSync: true})
			if err != nil {
				return err
			}
		}
		return nil
	})...)
}

func testDirectories(t *testing.T, s suite) {
	run(t, s, "create, list and remove", func(e env) {
		info, err := e.Mkdir(e.ctx(), e.path("dir"), host.Attributes{Mode: new(host.Mode(0o700))})
		e.must(err)
		if info != e.lstat(e.path("dir")) || info.Type != host.TypeDirectory {
			e.Errorf("Mkdir returned %+v, Lstat %+v, want the same directory", info, e.lstat(e.path("dir")))
		}
		e.put("dir/file", "x")
		e.wantError(e.Rmdir(e.ctx(), e.path("dir")), e.path("dir"), host.ErrNotEmpty)
		e.must(e.Remove(e.ctx(), e.path("dir/file")))
		e.must(e.Rmdir(e.ctx(), e.path("dir")))
		e.wantNames(e.dir)
	})
	for _, depth := range []int{0, 1, 2, 5, 30} {
		run(t, s, fmt.Sprintf("%d parents", depth), func(e env) {
			p := e.dir
			var want []string
			for i := range depth {
				p += fmt.Sprintf("/%d", i)
				want = append(want, p)
			}
			p += "/file"
			attrs := host.Attributes{Mode: new(host.Mode(0o710))}
			made, err := host.MakeParents(e.ctx(), e.Host, p, attrs)
			e.must(err)
			if !slices.Equal(made, want) {
				e.Errorf("made %q, want %q", made, want)
			}
			for _, dir := range made {
				if info := e.lstat(dir); info.Mode != 0o710 {
					e.Errorf("%s has mode %s, want 0710", dir, info.Mode)
				}
			}
			made, err = host.MakeParents(e.ctx(), e.Host, p, attrs)
			e.must(err)
			if len(made) != 0 {
				e.Errorf("the second MakeParents made %q, want none", made)
			}
			e.wantAbsent(p)
		})
	}
	run(t, s, "parents of the root", func(e env) {
		for _, p := range []string{"/", "/file"} {
			made, err := host.MakeParents(e.ctx(), e.Host, p, host.Attributes{})
			e.must(err)
			if len(made) != 0 {
				e.Errorf("MakeParents made %q for %s, want none", made, p)
			}
		}
	})
	run(t, s, "parents below a file", func(e env) {
		e.put("file", "old")
		made, err := host.MakeParents(e.ctx(), e.Host, e.path("file/a/b/c"), host.Attributes{})
		if err == nil || len(made) != 0 {
			e.Errorf("MakeParents made %q, error %v, want no directory and an error", made, err)
		}
		made, err = host.MakeParents(e.ctx(), e.Host, e.path("file/a"), host.Attributes{})
		if len(made) != 0 {
			e.Errorf("MakeParents made %q, error %v, want no directory", made, err)
		}
		e.wantContent(e.path("file"), "old")
	})
	run(t, s, "parents below a link", func(e env) {
		e.mkdir("real")
		e.symlink("real", "link")
		made, err := host.MakeParents(e.ctx(), e.Host, e.path("link/a/file"), host.Attributes{})
		e.must(err)
		if !slices.Equal(made, []string{e.path("link/a")}) {
			e.Errorf("MakeParents made %q, want only %q", made, e.path("link/a"))
		}
		e.wantNames(e.path("real"), "a")
		e.wantNames(e.dir, "link", "real")
	})
	run(t, s, "parents of invalid paths", func(e env) {
		for _, p := range []string{"", "a", "a/b", e.dir + "/", e.dir + "/../x/y"} {
			made, err := host.MakeParents(e.ctx(), e.Host, p, host.Attributes{})
			e.wantError(err, p, host.ErrInvalidPath)
			if len(made) != 0 {
				e.Errorf("MakeParents made %q for the invalid path %q, want none", made, p)
			}
		}
	})
	run(t, s, "Rename of a directory with content", func(e env) {
		e.mkdir("from")
		e.put("from/file", "x")
		e.must(e.Rename(e.ctx(), e.path("from"), e.path("to")))
		e.wantContent(e.path("to/file"), "x")
		e.wantNames(e.dir, "to")
	})
	run(t, s, "Rename of a directory into itself", func(e env) {
		e.mkdir("dir")
		err := e.Rename(e.ctx(), e.path("dir"), e.path("dir/inside"))
		e.wantError(err, e.path("dir/inside"))
		e.wantNames(e.dir, "dir")
	})
	run(t, s, "Rename onto itself", func(e env) {
		p := e.put("file", "x")
		e.must(e.Rename(e.ctx(), p, p))
		e.must(e.Link(e.ctx(), p, e.path("same")))
		e.must(e.Rename(e.ctx(), p, e.path("same"))) // POSIX: renaming a file to another hard link of it does nothing
		e.wantContent(e.path("same"), "x")
	})
	run(t, s, "Rename of a missing file", func(e env) {
		err := e.Rename(e.ctx(), e.path("absent"), e.path("to"))
		if !errors.Is(err, fs.ErrNotExist) {
			e.Errorf("Rename returned error %v, want fs.ErrNotExist", err)
		}
	})
}
