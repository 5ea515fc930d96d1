package account

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplacedHome checks that the script that creates a home directory changes nothing in a directory to
// which a link leads that has replaced its temporary directory.
func TestReplacedHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other, file, mktemp := filepath.Join(dir, "other"), filepath.Join(dir, "other", "file"), filepath.Join(dir, "bin", "mktemp")
	for _, made := range []error{
		os.Mkdir(other, 0o755), os.WriteFile(file, nil, 0o600), os.Mkdir(filepath.Dir(mktemp), 0o755),
		os.WriteFile(mktemp, []byte("#!/bin/sh\nln -s '"+other+"' \"${2%XXXXXX}link\" && echo \"${2%XXXXXX}link\"\n"), 0o755),
		os.Chmod(other, 0o755), // whatever the umask is
	} {
		if made != nil {
			t.Fatal(made)
		}
	}
	cmd := exec.Command("/bin/sh", "-c", homeScript, "sh", filepath.Join(dir, "above", "home"), "root")
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(mktemp)+":"+os.Getenv("PATH"))
	output, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "another user has replaced") {
		t.Errorf("the script printed %q, error %v", output, err)
	}
	info, err := os.Stat(other)
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the other directory was changed: %v, %v", info, err)
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) != 1 {
		t.Errorf("the other directory has %v, error %v", entries, err)
	}
}
