package account

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestReplacedHome checks that the script that creates a home directory does not change the target of a link that
// has replaced the temporary directory, even if the target is an empty directory.
func TestReplacedHome(t *testing.T) {
	t.Parallel()
	for name, files := range map[string][]string{"with a file": {"file"}, "empty": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			other, mktemp := filepath.Join(dir, "other"), filepath.Join(dir, "bin", "mktemp")
			made := []error{
				os.Mkdir(other, 0o755), os.Mkdir(filepath.Dir(mktemp), 0o755),
				resourcetest.Put(mktemp, "#!/bin/sh\nln -s '"+other+"' \"${2%XXXXXX}link\" && echo \"${2%XXXXXX}link\"\n", 0o755),
				os.Chmod(other, 0o755), // whatever the umask is
			}
			for _, file := range files {
				made = append(made, os.WriteFile(filepath.Join(other, file), nil, 0o600))
			}
			if err := errors.Join(made...); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("/bin/sh", "-c", homeScript, "sh", filepath.Join(dir, "above", "home"), "root")
			cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(mktemp)+":"+os.Getenv("PATH"))
			output, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(output), "another user has replaced") {
				t.Errorf("the script printed %q, error %v, want an error with \"another user has replaced\"", output, err)
			}
			info, err := os.Stat(other)
			if err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("the other directory is %v, error %v, want the mode 0755", info, err)
			}
			if entries, err := os.ReadDir(other); err != nil || len(entries) != len(files) {
				t.Errorf("the other directory has %v, error %v, want %d entries", entries, err, len(files))
			}
		})
	}
}

// TestParentsOfHome checks that a user can enter the new parent directories of the home directory, even if the umask of
// root would prevent that.
func TestParentsOfHome(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "above", "below")
	output, err := exec.Command("/bin/sh", "-c", `umask 077; exec /bin/sh -c "$1" sh "$2"`, "sh", parentsScript, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%s (%v)", output, err)
	}
	for _, made := range []string{filepath.Dir(dir), dir} {
		if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("the directory %s is %v, error %v, want the mode 0755", made, info, err)
		}
	}
}
