package secret_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/walkthrough"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{Packages: []string{"openssl"}}) }

// TestWalkThrough runs the commands of README.md, and checks that no secret is in their output
// or in a file of the working directory.
func TestWalkThrough(t *testing.T) {
	roottest.Require(t)
	w := acctest.NewServedWorkdir(t, "posix", func() (provider.Interface, error) { return resources.New("test") })
	config, err := os.ReadFile("main.tf")
	must(t, err)
	w.Write("main.tf", string(config))
	w.Write("providers.tf", "") // main.tf has the required providers
	steps := []walkthrough.Step{
		{Line: "export TF_VAR_password=the-first-one"},
		{Line: "tofu apply -var rotation=1", Check: applied("the-first-one", 1)},
		{Line: "tofu plan -var rotation=1 -out=plan", Check: walkthrough.Prints("No changes")},
		{Line: "export TF_VAR_password=the-second-one"},
		{Line: "tofu plan -var rotation=1", Check: walkthrough.Prints("No changes")},
		{Line: "tofu apply -var rotation=2", Check: applied("the-second-one", 2)},
		{Line: "echo 'reports:guessed' | chpasswd"},
		{Line: "tofu plan -var rotation=2 -out=plan", Check: walkthrough.Prints("1 to change")},
		{Line: "tofu apply -var rotation=2", Check: applied("the-second-one", 2)},
		{Line: "tofu destroy -var rotation=2", Check: gone},
	}
	for i, step := range steps {
		steps[i].Check = func(t *testing.T, printed string) {
			t.Helper()
			if step.Check != nil {
				step.Check(t, printed)
			}
			for _, secret := range []string{"the-first-one", "the-second-one", hashOf(t)} {
				nowhere(t, w.Dir, secret)
				if secret != "" && strings.Contains(printed, secret) {
					t.Errorf("the output of %s has a secret:\n%s", step.Line, printed)
				}
			}
		}
	}
	walkthrough.Run(t, w, steps)
}

// applied returns a check that the account and the file have the password, and that the log has
// the rotations up to rotation.
func applied(password string, rotation int) func(*testing.T, string) {
	return func(t *testing.T, _ string) {
		t.Helper()
		hash := hashOf(t)
		if parts := strings.Split(hash, "$"); len(parts) != 4 {
			t.Errorf("the account has the password hash %q, want a hash with a salt", hash)
		} else {
			cmd := exec.CommandContext(t.Context(), "openssl", "passwd", "-6", "-stdin", "-salt", parts[2])
			cmd.Stdin = strings.NewReader(password)
			if again, err := cmd.Output(); err != nil || strings.TrimSpace(string(again)) != hash {
				t.Errorf("the account has the password hash %q, want %q (error of openssl: %v)", hash, strings.TrimSpace(string(again)), err)
			}
		}
		content, err := os.ReadFile("/etc/reports.conf")
		if want := "user     = reports\npassword = " + password + "\n"; err != nil || string(content) != want {
			t.Errorf("/etc/reports.conf has %q (error %v), want %q", content, err, want)
		}
		log, err := os.ReadFile("/var/log/reports.log")
		if want := []string{"", "rotation 1\n", "rotation 1\nrotation 2\n"}[rotation]; err != nil || string(log) != want {
			t.Errorf("/var/log/reports.log has %q (error %v), want %q", log, err, want)
		}
	}
}

func gone(t *testing.T, _ string) {
	t.Helper()
	for _, path := range []string{"/etc/reports.conf", "/var/log/reports.log"} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Lstat of %s returned error %v, want %v", path, err, fs.ErrNotExist)
		}
	}
	if hash := hashOf(t); hash != "" {
		t.Error("the account still exists")
	}
}

// hashOf returns the hash of the account's password, or "" if there is no account.
func hashOf(t *testing.T) string {
	t.Helper()
	shadow, err := os.ReadFile("/etc/shadow")
	must(t, err)
	for line := range strings.Lines(string(shadow)) {
		if fields := strings.Split(line, ":"); fields[0] == "reports" {
			return fields[1]
		}
	}
	return ""
}

// nowhere checks that no regular file below a directory, and no file in a zip archive there, contains a
// secret. It does nothing if the secret is empty.
func nowhere(t *testing.T, dir, secret string) {
	t.Helper()
	if secret == "" {
		return
	}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for name, part := range unpacked(t, content) {
			if bytes.Contains(part, []byte(secret)) {
				t.Errorf("%s %s has a secret", path, name)
			}
		}
		return nil
	}))
}

// unpacked returns the content under the key "" and, if the content is a zip archive, such as a
// plan, its files by name.
func unpacked(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	parts := map[string][]byte{"": content}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return parts
	}
	for _, file := range archive.File {
		r, err := file.Open()
		must(t, err)
		part, err := io.ReadAll(r)
		must(t, err, r.Close())
		parts[file.Name] = part
	}
	return parts
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
