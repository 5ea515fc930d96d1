package filecontent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/local"
)

// FuzzFollow checks that follow agrees with filepath.EvalSymlinks for any links. The links
// are created only in a directory of the test, even if the links lead out of the directory.
func FuzzFollow(f *testing.F) {
	for _, links := range []string{"", "l=a", "l=m,m=a", "l=d/x,d/x=../a", "l=d/x,d=e/f,e/f/x=../a", "l=l", "l=m,m=l", "l=none", "l=/", "l=.././a", "l=d/..", "d/l=..//a", "m=e,e/l=../a", "l=d/./x,d/x=e/y,d/e/y=../../a"} {
		f.Add(links)
	}
	f.Fuzz(func(t *testing.T, links string) {
		if len(links) > 100 || strings.ContainsAny(links, "\x00") {
			return
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		for _, name := range []string{"d", "e", "e/f", "d/e"} {
			if err := root.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := root.WriteFile("a", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for link := range strings.SplitSeq(links, ",") {
			name, to, _ := strings.Cut(link, "=")
			if strings.HasPrefix(to, "/") {
				to = dir + to
			}
			_ = root.Remove(name)      // a file, a link or an empty directory
			_ = root.Symlink(to, name) // invalid links are not created
		}
		h, err := local.New()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"l", "d/l", "d/x", "a", "m", "m/l", "e/f/x"} {
			name = filepath.Join(dir, name)
			want, wantErr := filepath.EvalSymlinks(name)
			got, err := follow(t.Context(), h, name)
			absent := errors.Is(wantErr, fs.ErrNotExist) || errors.Is(wantErr, syscall.ENOTDIR)
			if (err == nil) != (wantErr == nil) || errors.Is(err, fs.ErrNotExist) != absent {
				t.Fatalf("%s: %v, want %v", name, err, wantErr)
			}
			if err == nil && got != want {
				// Links in parent directories are resolved by the host.
				if led, err := filepath.EvalSymlinks(got); err != nil || led != want {
					t.Errorf("%s leads to %s, which is %s (error %v), want %s", name, got, led, err, want)
				}
			}
		}
	})
}
