package host_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"/", "/a", "/a/b", "/...", "/..a", "/a..", "/a b", "/a\nb", "/-rf", "/\xff", "/é", "/a/.hidden", "/~", "/a\\b",
		"/" + strings.Repeat("n", 5000),
	} {
		if err := host.CheckPath(p); err != nil {
			t.Errorf("%.20q: %v", p, err)
		}
	}
	for _, tt := range []struct{ path, clean string }{
		{"", ""},
		{"a", ""},
		{".", ""},
		{"./a", ""},
		{"../a", ""},
		{"~/a", ""},
		{" /a", ""},
		{"/a\x00", ""},
		{"\x00", ""},
		{"//", "/"},
		{"/a/", "/a"},
		{"/a//", "/a"},
		{"//a", "/a"},
		{"/a//b", "/a/b"},
		{"/.", "/"},
		{"/..", "/"},
		{"/a/.", "/a"},
		{"/a/./b", "/a/b"},
		{"/a/..", "/"},
		{"/a/../b", "/b"},
		{"/../a", "/a"},
		{"/a/./", "/a"},
	} {
		err := host.CheckPath(tt.path)
		var pathErr *host.PathError
		if !errors.As(err, &pathErr) || !errors.Is(err, host.ErrInvalidPath) {
			t.Errorf("%q: got error %v, want a *host.PathError", tt.path, err)
			continue
		}
		if pathErr.Clean != tt.clean || pathErr.Path != tt.path {
			t.Errorf("%q: got the clean path %q of %q, want %q", tt.path, pathErr.Clean, pathErr.Path, tt.clean)
		}
		if tt.clean != "" && !strings.Contains(err.Error(), "write "+tt.clean) {
			t.Errorf("%q: error %q does not contain the valid path %s", tt.path, err, tt.clean)
		}
	}
}

func TestCheckTarget(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"/a", "/a/.b", "/a.posix-tmp", "/.posix-tmp/a", "/.a.posix-tmpx"} {
		if err := host.CheckTarget(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{"/", "", "a", "/a/", "/.a.posix-tmp", "/d/.a.posix-tmp-x", "/..posix-tmp"} {
		if err := host.CheckTarget(p); !errors.Is(err, host.ErrInvalidPath) {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// FuzzCheckPath checks that a path is accepted if and only if it is absolute, clean and without NUL, and
// that the form proposed for a rejected path is accepted.
func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"/", "/a/b", "a", "//", "/a/../b", "/a/", "/\x00", "/\xff/.", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, p string) {
		err := host.CheckPath(p)
		if lawful := path.IsAbs(p) && path.Clean(p) == p && !strings.Contains(p, "\x00"); lawful != (err == nil) {
			t.Fatalf("%q: %v", p, err)
		}
		var pathErr *host.PathError
		if errors.As(err, &pathErr) && pathErr.Clean != "" {
			if err := host.CheckPath(pathErr.Clean); err != nil {
				t.Errorf("%q: the proposed path is rejected: %v", p, err)
			}
		}
	})
}

// FuzzTempPath checks that the temporary path is valid and in the directory of the target, matches
// IsTempPath, has a short name, and differs between targets.
func FuzzTempPath(f *testing.F) {
	f.Add("a", "b", "")
	f.Add("a", "a", "link")
	f.Add(strings.Repeat("n", 80), strings.Repeat("n", 81), "")
	f.Add(strings.Repeat("é", 120), strings.Repeat("é", 120)+"x", "0123456789abcdef")
	f.Add(strings.Repeat("\xff", 255), strings.Repeat("\x80", 255), "")
	f.Add("a.posix-tmp", "a", "posix-tmp")
	f.Fuzz(func(t *testing.T, name, other, variant string) {
		for _, n := range []string{name, other} {
			if n == "" || n == "." || n == ".." || strings.ContainsAny(n, "/\x00") || len(n) > 255 {
				return
			}
		}
		if len(variant) > 32 || strings.ContainsAny(variant, "/\x00.") {
			return
		}
		temp := host.TempPath("/dir/"+name, variant)
		base, inDir := strings.CutPrefix(temp, "/dir/")
		if !inDir || strings.Contains(base, "/") || len(base) > 143 || !host.IsTempPath(temp) || host.CheckPath(temp) != nil {
			t.Errorf("%q: %q", name, temp)
		}
		if same := host.TempPath("/dir/"+other, variant) == temp; same != (name == other) {
			t.Errorf("%q and %q: %q", name, other, temp)
		}
	})
}
