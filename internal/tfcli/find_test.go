package tfcli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// TestMain makes this binary a fake command: if a file with a version text is next to it,
// the binary prints the text.
func TestMain(m *testing.M) {
	if text, err := os.ReadFile(os.Args[0] + ".version"); err == nil {
		fmt.Println(string(text))
		return
	}
	// By default, a binary with the race detector waits a second before it exits.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	m.Run()
}

// fake creates a command that prints the given text for "version". It is a link
// to this binary, because executing a file that was just written may fail.
func fake(t *testing.T, dir, name, text string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := errors.Join(
		os.MkdirAll(dir, 0o755),
		os.Symlink(self, path),
		os.WriteFile(path+".version", []byte(text), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	early, late := filepath.Join(dir, "early"), filepath.Join(dir, "late")
	oldTerraform := fake(t, early, "terraform", "Terraform v1.11.4\non linux_amd64")
	newTerraform := fake(t, late, "terraform", "Terraform v1.13.0-rc1\non linux_amd64")
	tofu := fake(t, late, "tofu", "\nWarning: something\n\nOpenTofu v1.12.6\non linux_amd64")
	cached := fake(t, filepath.Join(dir, "cache"), "tofu", "OpenTofu v1.12.6")
	broken := fake(t, filepath.Join(dir, "broken"), "tofu", "hello")
	future := fake(t, filepath.Join(dir, "future"), "tofu", "OpenTofu v2.0.0")

	tests := map[string]struct {
		finder   tfcli.Finder
		want     string
		rejected []string
	}{
		"the override is the only candidate": {
			finder: tfcli.Finder{Override: newTerraform, Path: []string{late}, Cached: cached},
			want:   newTerraform,
		},
		"tofu is preferred to an earlier terraform": {
			finder: tfcli.Finder{Path: []string{early, late}, Cached: cached},
			want:   tofu,
		},
		"an old command is rejected": {
			finder:   tfcli.Finder{Path: []string{early}, Cached: cached},
			want:     cached,
			rejected: []string{oldTerraform},
		},
		"a command without a version is rejected": {
			finder:   tfcli.Finder{Path: []string{filepath.Dir(broken), early}, Cached: cached},
			want:     cached,
			rejected: []string{broken, oldTerraform},
		},
		"the cached version must be the required one": {
			finder: tfcli.Finder{Path: []string{early}, Cached: cached, CachedVersion: "1.12.6"},
			want:   cached, rejected: []string{oldTerraform},
		},
		"the version on the PATH may be another": {
			finder: tfcli.Finder{Path: []string{late}, Cached: cached, CachedVersion: "1.12.7"},
			want:   tofu,
		},
		"a later major version is accepted": {
			finder: tfcli.Finder{Path: []string{filepath.Dir(future)}},
			want:   future,
		},
		"relative directories of the PATH are ignored": {
			finder: tfcli.Finder{Path: []string{".", ""}, Cached: cached},
			want:   cached,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, rejected, err := tt.finder.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.Path != tt.want {
				t.Errorf("got %s, want %s", got.Path, tt.want)
			}
			var paths []string
			for _, r := range rejected {
				paths = append(paths, r.Path)
			}
			if !slices.Equal(paths, tt.rejected) {
				t.Errorf("got rejected paths %q, want %q", paths, tt.rejected)
			}
		})
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	old := fake(t, t.TempDir(), "terraform", "Terraform v1.11.4")
	finder := tfcli.Finder{Path: []string{filepath.Dir(old)}, Cached: filepath.Join(t.TempDir(), "tofu")}

	_, rejected, err := finder.Find(t.Context())
	if !errors.Is(err, tfcli.ErrNotFound) {
		t.Fatalf("got error %v, want ErrNotFound", err)
	}
	// Only the error of a finder with a cached path suggests make tofu, because make tofu needs the Makefile.
	if !strings.Contains(err.Error(), "make tofu") || strings.Contains(tfcli.ErrNotFound.Error(), "make") {
		t.Errorf("got error %q, want one that suggests make tofu; ErrNotFound is %q, want one without make", err, tfcli.ErrNotFound)
	}
	var tooOld *tfcli.TooOldError
	if len(rejected) != 1 || !errors.As(rejected[0].Err, &tooOld) {
		t.Fatalf("got rejected programs %v, want a TooOldError", rejected)
	}
	if want := "skipped " + old + ": Terraform 1.11.4 is older than 1.12"; rejected[0].String() != want {
		t.Errorf("got line %q, want %q", rejected[0], want)
	}
}

// TestFindOutdated checks that a command that make has built from a version other than the
// required one counts as missing, so that make builds it again, and that the required version
// is the version in tools/go.mod.
func TestFindOutdated(t *testing.T) {
	t.Parallel()
	required := tfcli.FromEnvironment().CachedVersion
	if mod, err := os.ReadFile(filepath.Join("..", "..", "tools", "go.mod")); err != nil || required == "" ||
		!strings.Contains(string(mod), "github.com/opentofu/opentofu v"+required+" ") {
		t.Errorf("got version %q, which is not that of tools/go.mod (%v)", required, err)
	}
	finder := tfcli.Finder{Cached: fake(t, t.TempDir(), "tofu", "OpenTofu v1.12.6"), CachedVersion: "1.12.7"}
	_, rejected, err := finder.Find(t.Context())
	if !errors.Is(err, tfcli.ErrNotFound) || len(rejected) != 1 || !strings.Contains(rejected[0].String(), "1.12.7") {
		t.Errorf("got error %v and rejected programs %v, want %v and one program with an error about version 1.12.7", err, rejected, tfcli.ErrNotFound)
	}
}

// TestFindBadOverride checks that an unusable override is an error without a fallback.
func TestFindBadOverride(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := fake(t, dir, "tofu", "OpenTofu v1.12.6")
	for name, override := range map[string]string{
		"missing": filepath.Join(dir, "missing"),
		"old":     fake(t, filepath.Join(dir, "old"), "tofu", "OpenTofu v1.11.0"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := tfcli.Finder{Override: override, Cached: good}.Find(t.Context())
			if err == nil || errors.Is(err, tfcli.ErrNotFound) || !strings.Contains(err.Error(), tfcli.EnvOverride) {
				t.Errorf("got error %v, want an error with %s", err, tfcli.EnvOverride)
			}
		})
	}
}

// TestFindOld checks that a finder can accept an override from version 1.8 on, and rejects an older version.
func TestFindOld(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"v1.7.9": "older than 1.8", "v1.8.0": "old", "v1.11.4": "old", "v1.12.0": "new"} {
		cli, _, err := tfcli.Finder{Override: fake(t, t.TempDir(), "tofu", "OpenTofu "+text), Old: true}.Find(t.Context())
		got := "new"
		switch {
		case err != nil:
			got = err.Error()
		case cli.Old:
			got = "old"
		}
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// TestHasQueries checks that Terraform has list resources from version 1.14 on, and OpenTofu has none.
func TestHasQueries(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Terraform v1.8.5": false, "Terraform v1.11.4": false, "Terraform v1.12.2": false, "Terraform v1.13.5": false,
		"Terraform v1.14.0": true, "Terraform v1.16.0": true, "Terraform v2.0.0": true, "OpenTofu v1.14.0": false,
	} {
		cli, _, err := tfcli.Finder{Override: fake(t, t.TempDir(), "cmd", text), Old: true}.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := cli.HasQueries(); got != want {
			t.Errorf("%s: HasQueries() = %t, want %t", cli, got, want)
		}
	}
}

func TestRegistryHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"OpenTofu v1.12.6":  "registry.opentofu.org",
		"Terraform v1.14.0": "registry.terraform.io",
	} {
		cli, err := tfcli.Inspect(t.Context(), fake(t, t.TempDir(), "cmd", text))
		if err != nil {
			t.Fatal(err)
		}
		if got := cli.RegistryHost(); got != want {
			t.Errorf("%s: registry %s, want %s", cli, got, want)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	got := tfcli.Environ([]string{"HOME=/h", "TF_CLI_CONFIG_FILE=/h/.rc", "TF_WORKSPACE=w", "TF_LOG=TRACE"}, "/c")
	want := []string{"HOME=/h", "TF_CLI_CONFIG_FILE=/c", "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1"}
	if !slices.Equal(got, want) {
		t.Errorf("got environment %q, want %q", got, want)
	}
}
