package faulttest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// killTree returns version v of a directory: files whose content changes, files in one
// version or unchanged in both, and paths that are files in one version and links in the
// other.
func killTree(v int) map[string]version {
	all := map[string]version{}
	file := func(count int, name, content string) {
		for i := range count {
			all[fmt.Sprintf("dir-%d/%s-%d", i%20, name, i)] = version{mode: 0o644, content: strings.Repeat(content+fmt.Sprint(" ", i, "\n"), 100)}
		}
	}
	file(200, "turns", fmt.Sprint("version ", v))
	file(100, "same", "always")
	file(100, fmt.Sprint("only-", v), "for now")
	for i := range 20 {
		name := fmt.Sprintf("dir-%d/kind", i)
		if i%2 == v%2 {
			all[name] = version{mode: 0o644, content: "a file\n"}
		} else {
			all[name] = version{target: fmt.Sprint("same-", i)}
		}
	}
	return all
}

// found returns the files and links below a directory.
func found(t *testing.T, dir string) map[string]version {
	t.Helper()
	for {
		all := map[string]version{}
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, _ := filepath.Rel(dir, path)
			if e.Type() == fs.ModeSymlink {
				to, err := os.Readlink(path)
				all[name] = version{target: to}
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			content, err := os.ReadFile(path)
			all[name] = version{mode: uint32(info.Mode().Perm()), content: string(content)}
			return err
		})
		if !errors.Is(err, fs.ErrNotExist) { // else a file was removed during the walk
			resourcetest.Must(t, err)
			return all
		}
	}
}

// TestAccKillTree kills the provider at random moments while the provider creates a tree and
// changes the tree to another version and back. After a kill, each file is complete, old or
// new. The next complete apply creates missing files and removes leftovers.
func TestAccKillTree(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	for name, at := range map[string]func(t *testing.T) string{
		"local host":   func(*testing.T) string { return "" },
		"over SSH":     func(t *testing.T) string { return slowServer(t, sshdtest.Config{}) },
		"without SFTP": func(t *testing.T) string { return slowServer(t, sshdtest.Config{Subsystem: sshdtest.None}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, program := ownProgram(t)
			dir, source, random := resourcetest.TempDir(t)+"/tree", resourcetest.TempDir(t), killRandom(t)
			provider, host := at(t), "local"
			if provider != "" {
				host = "web"
			}
			for v := range 3 {
				resourcetest.Must(t, os.MkdirAll(fmt.Sprintf("%s/%d", source, v), 0o755))
				for name, is := range killTree(v) {
					path := fmt.Sprintf("%s/%d/%s", source, v, name)
					resourcetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
					if is.target != "" {
						resourcetest.Must(t, os.Symlink(is.target, path))
					} else {
						resourcetest.Must(t, resourcetest.Put(path, is.content, fs.FileMode(is.mode)))
					}
				}
			}
			configure := func(v int) {
				w.Write("main.tf", fmt.Sprintf("%s\nresource \"posix_tree\" \"it\" {\n  host = %q\n  path = %q\n  source = \"%s/%d\"\n}\n", provider, host, dir, source, v))
			}
			const rounds = 6
			hits, before := 0, map[string]version{}
			for round := 0; killMore(round, rounds, hits); round++ {
				v := 1 + round%2
				want := killTree(v)
				configure(v)
				have := done(dir, want)
				atLeast := have + 1 + random.IntN(len(want)-have-1)
				r, came := disturbed(w, func() bool { return done(dir, want) >= atLeast }, func() {
					if p := resourcetest.Process(program); p != nil {
						_ = p.Kill() // the process may have ended
					}
				}, "apply", "-auto-approve", "-no-color")
				if came && r.Code != 0 {
					hits++
				}
				awaitEnd(program)
				wantWhole(t, found(t, dir), before, want)
				w.Do(nil, "apply", "-auto-approve", "-no-color")
				if is := found(t, dir); !maps.Equal(is, want) {
					t.Errorf("round %d: after a complete apply there are %d files and links, want %d; differences: %q", round, len(is), len(want), differing(is, want))
				}
				if r := w.Run("plan", "-detailed-exitcode", "-no-color"); r.Code != 0 {
					t.Errorf("round %d: the plan after a complete apply has exit code %d, want 0:\n%s", round, r.Code, r.Output)
				}
				if t.Failed() {
					return
				}
				before = want
			}
			t.Logf("%d applies were killed before their end", hits)
			if hits == 0 {
				t.Error("no apply was killed before its end")
			}
		})
	}
}

// slowServer starts a server and returns the provider's configuration with the server as host web on a
// slow connection.
func slowServer(t *testing.T, c sshdtest.Config) string {
	t.Helper()
	key := sshdtest.NewKey(t)
	c.Users = []sshdtest.User{sshdtest.Me(key.PublicKey())}
	server := sshdtest.Start(t, c)
	return webAt(t, server, key, nettest.Start(t, server.Addr(), slowLine).Addr())
}

// done returns the number of files that exist at their full size, and of links.
func done(dir string, want map[string]version) int {
	n := 0
	for name, is := range want {
		info, err := os.Lstat(dir + "/" + name)
		switch {
		case err != nil:
		case is.target != "" && info.Mode().Type() == fs.ModeSymlink, is.target == "" && info.Size() == int64(len(is.content)):
			n++
		}
	}
	return n
}

// wantWhole checks that each file is the old or the wanted one, or has a temporary name.
func wantWhole(t *testing.T, is, old, wanted map[string]version) {
	t.Helper()
	for name, v := range is {
		temporary := slices.ContainsFunc(strings.Split(name, "/"), host.IsTempPath)
		if o, had := old[name]; !temporary && v != wanted[name] && (!had || v != o) {
			t.Errorf("%s is neither the old nor the new version: mode %04o, %d bytes, target %q", name, v.mode, len(v.content), v.target)
		}
	}
}

// differing returns up to ten names whose versions differ or are missing in one of the
// maps.
func differing(a, b map[string]version) []string {
	var names []string
	for name := range a {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, is := a[name]; !is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), 10)]
}
