package host_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// TestResolveDir checks the directories that links lead to, and the number of calls of lstat. Objects
// that are not in the map are directories of root with mode 0755, except for /etc/absent,
// which does not exist.
func TestResolveDir(t *testing.T) {
	t.Parallel()
	dir := func(uid uint32, mode host.Mode) host.FileInfo {
		return host.FileInfo{Type: host.TypeDirectory, UID: uid, Mode: mode}
	}
	link := func(target string) host.FileInfo {
		return host.FileInfo{Type: host.TypeSymlink, LinkTarget: target}
	}
	objects := map[string]host.FileInfo{
		"/home/alice": dir(1000, 0o755), "/tmp": dir(0, 0o1777), "/open": dir(0, 0o777), "/group": dir(0, 0o775),
		"/absolute": link("/var/lib"), "/relative": link("var/../var/lib/"), "/var/up": link("../home/alice"), "/two": link("absolute/x/../y"),
		"/to": link("/home/alice/link"), "/home/alice/link": link("/etc"), "/file": {Type: host.TypeRegular},
		"/tmp/theirs": {Type: host.TypeSymlink, UID: 1000, LinkTarget: "/etc"}, "/tmp/own": link("/etc"),
	}
	for path, want := range map[string]struct {
		dir              string
		trusted, missing bool
		calls            int
		refused          string
	}{
		"/":                    {"/", true, false, 1, ""},
		"/etc/x":               {"/etc/x", true, false, 1, ""},
		"/group/x":             {"/group/x", true, false, 1, ""},
		"/home/alice/x":        {"/home/alice/x", false, false, 1, ""},
		"/open/x":              {"/open/x", false, false, 1, ""},
		"/etc/absent/x":        {"/etc/absent/x", true, true, 1, ""},
		"/file/x":              {"/file/x", true, true, 1, ""},
		"/absolute/x":          {"/var/lib/x", true, false, 2, ""},
		"/relative/x":          {"/var/lib/x", true, false, 3, ""},
		"/var/up/x":            {"/home/alice/x", false, false, 3, ""},
		"/two/z":               {"/var/lib/y/z", true, false, 4, ""},
		"/tmp/own/x":           {"/etc/x", true, false, 2, ""},
		"/tmp/theirs/x":        {refused: "/tmp/theirs"},
		"/home/alice/link":     {refused: "/home/alice/link"},
		"/home/alice/link/x/y": {refused: "/home/alice/link"},
		"/to/x":                {refused: "/home/alice/link"},
	} {
		calls := 0
		resolved, err := host.ResolveDir(path, func(paths []string) (found []host.FileInfo, err error) {
			calls++
			for _, p := range paths {
				is, known := objects[p]
				if !known {
					is = dir(0, 0o755)
				}
				if p == "/etc/absent" {
					break
				}
				found = append(found, is)
			}
			return found, nil
		})
		if unsafe, ok := errors.AsType[*host.UnsafeLinkError](err); ok || want.refused != "" {
			if !ok || unsafe.Link != want.refused {
				t.Errorf("%s: error %v, want an UnsafeLinkError for %s", path, err, want.refused)
			}
			continue
		}
		if err != nil || resolved.Dir != want.dir || resolved.Trusted != want.trusted || resolved.Missing != want.missing || calls != want.calls {
			t.Errorf("%s: %+v after %d calls of lstat, error %v; want %+v", path, resolved, calls, err, want)
		}
	}
}

// TestResolveDirLoop checks that a symbolic link to itself above a path is an error.
func TestResolveDirLoop(t *testing.T) {
	t.Parallel()
	_, err := host.ResolveDir("/loop/x", func(paths []string) (found []host.FileInfo, err error) {
		for _, p := range paths {
			is := host.FileInfo{Type: host.TypeDirectory, Mode: 0o755}
			if p == "/loop" {
				is = host.FileInfo{Type: host.TypeSymlink, LinkTarget: "loop"}
			}
			found = append(found, is)
		}
		return found, nil
	})
	if !errors.Is(err, syscall.ELOOP) {
		t.Errorf("error %v, want ELOOP", err)
	}
}

// TestResolveDirLongTarget checks that the length of a path is limited, so that the targets of a
// host's links cannot make the requests larger than the memory.
func TestResolveDirLongTarget(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{"one link": strings.Repeat("x/", 1<<17), "many links": "/link" + strings.Repeat("/x", 1000)} {
		size := 0
		_, err := host.ResolveDir("/link/y", func(paths []string) (found []host.FileInfo, err error) {
			for _, p := range paths {
				if size += len(p); p == "/link" {
					return append(found, host.FileInfo{Type: host.TypeSymlink, LinkTarget: target}), nil
				}
				found = append(found, host.FileInfo{Type: host.TypeDirectory})
			}
			return found, nil
		})
		if !errors.Is(err, syscall.ENAMETOOLONG) || size > 1<<24 {
			t.Errorf("%s: error %v after requests for paths of %d bytes, want %v after at most 16 MiB", name, err, size, syscall.ENAMETOOLONG)
		}
	}
}
