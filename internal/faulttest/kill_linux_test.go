package faulttest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// killConfig is the configuration of the kill test: 200 files in two versions, some of
// which are secret in one version and public in the other, and links. The number of
// lines differs, so that no content is a part of another.
const killConfig = `
variable "v" {
  type = number
}
locals {
  lines = var.v == 1 ? 40 : 25
}
resource "posix_file" "public" {
  count   = 110
  path    = "DIR/public-${count.index}"
  content = join("", [for n in range(local.lines) : "public public-${count.index} v${var.v} ${n}\n"])
  mode    = var.v == 1 ? "0644" : "0640"
}
resource "posix_file" "secret" {
  count   = 20
  path    = "DIR/secret-${count.index}"
  content = join("", [for n in range(local.lines) : "SECRET secret-${count.index} v${var.v} ${n}\n"])
  mode    = "0600"
}
resource "posix_file" "turns" {
  count   = 50
  path    = "DIR/turns-${count.index}"
  content = join("", [for n in range(local.lines) : "${(count.index + var.v) % 2 == 0 ? "SECRET" : "public"} turns-${count.index} v${var.v} ${n}\n"])
  mode    = (count.index + var.v) % 2 == 0 ? "0600" : "0644"
}
resource "posix_file" "unstored" {
  count              = 10
  path               = "DIR/unstored-${count.index}"
  content_wo         = join("", [for n in range(local.lines) : "SECRET unstored-${count.index} v${var.v} ${n}\n"])
  content_wo_version = var.v
  mode               = "0600"
}
resource "posix_file" "large" {
  count  = 10
  path   = "DIR/large-${count.index}"
  source = "SOURCE-${var.v}"
  mode   = "0600"
}
resource "posix_symlink" "link" {
  count  = 10
  path   = "DIR/link-${count.index}"
  target = "public-${var.v}"
}
`

func killLines(kind, name string, v, lines int) string {
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "%s %s v%d %d\n", kind, name, v, n)
	}
	return b.String()
}

// killVersions returns the expected files and links of version v.
func killVersions(v int) map[string]version {
	lines, publicMode := 40, uint32(0o644)
	if v == 2 {
		lines, publicMode = 25, 0o640
	}
	all := map[string]version{}
	add := func(count int, kind string, make func(i int, name string) version) {
		for i := range count {
			name := fmt.Sprintf("%s-%d", kind, i)
			all[name] = make(i, name)
		}
	}
	secret := func(_ int, name string) version {
		return version{content: killLines(secretMark, name, v, lines), mode: 0o600}
	}
	add(110, "public", func(_ int, name string) version {
		return version{content: killLines("public", name, v, lines), mode: publicMode}
	})
	add(20, "secret", secret)
	add(50, "turns", func(i int, name string) version {
		if (i+v)%2 == 0 {
			return secret(i, name)
		}
		return version{content: killLines("public", name, v, lines), mode: 0o644}
	})
	add(10, "unstored", secret)
	add(10, "large", func(int, string) version { return version{content: killLarge(v), mode: 0o600} })
	add(10, "link", func(int, string) version { return version{target: fmt.Sprintf("public-%d", v)} })
	return all
}

// killLarge returns content that needs more than one write.
func killLarge(v int) string { return killLines(secretMark, "large", v, 8000+100*v) }

// TestKill kills the provider at random moments of an apply. At any time, each existing file
// and link is complete, old or new, is not removed, and never has weaker permissions than its
// content needs. The next complete apply repairs everything.
func TestKill(t *testing.T) {
	t.Parallel()
	program := resourcetest.NewProgram(t)
	newKilling(t, program, "", func(config string) killed { return newInProcess(t, program, config) }).
		rounds(t, tier.Pick(1, 1, 20), tier.Pick(2, 2, 3))
}

// TestAccKill is [TestKill] with the command of OpenTofu or Terraform.
func TestAccKill(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	w, program := ownProgram(t)
	newKilling(t, program, "", func(config string) killed { return newCommandLine(w, config) }).
		rounds(t, 5, 3)
}

// killing applies two versions of killConfig in turn and kills the provider.
type killing struct {
	run      killed
	program  string
	dir      string
	versions map[int]map[string]version
	watcher  *watcher
	random   *rand.Rand
}

// newKilling returns the kill test of a provider program. more is added to the
// configuration; if it is set, the resources are on host web.
func newKilling(t *testing.T, program, more string, run func(config string) killed) *killing {
	t.Helper()
	k := &killing{
		program: program, dir: resourcetest.TempDir(t), versions: map[int]map[string]version{1: killVersions(1), 2: killVersions(2)},
		random: killRandom(t),
	}
	source := filepath.Join(resourcetest.TempDir(t), "source")
	resourcetest.Must(t, resourcetest.Put(source+"-1", killLarge(1), 0o600), resourcetest.Put(source+"-2", killLarge(2), 0o600))
	config := resourcetest.ReplaceAll(killConfig, "DIR", k.dir, "SOURCE", source)
	if more != "" {
		config = more + resourcetest.ReplaceAll(config, "  path ", "  host = \"web\"\n  path ")
	}
	k.run = run(config)

	allow := map[string][]version{}
	for _, versions := range k.versions {
		for name, v := range versions {
			allow[name] = append(allow[name], v)
		}
	}
	k.watcher = watch(t, k.dir, allow)
	t.Cleanup(func() {
		for _, bad := range k.watcher.stop() {
			t.Error(bad)
		}
	})
	return k
}

// rounds runs at least the given number of rounds, unless the test fails. Each round kills up to kills applies of a
// version, and then applies the version completely.
func (k *killing) rounds(t *testing.T, rounds, kills int) {
	t.Helper()
	hits, left := 0, 0
	for round := 0; killMore(round, rounds, hits); round++ {
		v := round%2 + 1
		if round%3 == 0 {
			k.reset(t)
		}
		for range kills {
			pending := k.pending(t, v)
			if pending == 0 {
				break
			}
			if k.applyAndKill(t, v, 1+k.random.IntN(5*pending)) {
				hits++
			}
			left += len(k.temporary(t))
		}
		k.apply(t, v)
		if err := k.run.unchanged(t.Context(), v); err != nil {
			t.Errorf("round %d: the plan after a complete apply failed or has changes: %v", round, err)
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d applies were killed before their end, with %d temporary files left behind", hits, left)
	if hits == 0 {
		t.Error("no apply was killed before its end")
	}
}

// killMore reports whether another round follows: there are at least the given number of
// rounds, and up to ten times as many until an apply is killed before its end.
func killMore(round, rounds, hits int) bool {
	return round < rounds || hits == 0 && round < 10*rounds
}

// apply applies a version completely.
func (k *killing) apply(t *testing.T, v int) {
	t.Helper()
	resourcetest.Must(t, k.run.apply(t.Context(), v))
	if temps := k.temporary(t); len(temps) > 0 {
		t.Errorf("version %d: a complete apply left the temporary files %q", v, temps)
	}
	if n := k.pending(t, v); n > 0 {
		t.Errorf("version %d: after an apply, %d of %d paths are not as configured", v, n, len(k.versions[v]))
	}
}

// reset removes all files and the state.
func (k *killing) reset(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(k.dir)
	resourcetest.Must(t, err)
	k.watcher.mayRemove(func() {
		for _, e := range entries {
			resourcetest.Must(t, os.Remove(filepath.Join(k.dir, e.Name())))
		}
	})
	resourcetest.Must(t, k.run.forget())
}

// applyAndKill applies, kills the provider at the n-th event in the directory, and
// reports whether that interrupted the apply.
func (k *killing) applyAndKill(t *testing.T, v, n int) bool {
	t.Helper()
	var victim *os.Process
	k.watcher.arm(func(string) bool {
		if n--; victim == nil {
			victim = resourcetest.Process(k.program)
		}
		if n > 0 || victim == nil {
			return false
		}
		_ = victim.Kill() // the process may have ended
		return true
	})
	err := k.run.apply(t.Context(), v)
	k.watcher.arm(nil)
	awaitEnd(k.program)
	return err != nil
}

// awaitEnd waits until no process runs the program.
func awaitEnd(program string) {
	for resourcetest.Running(program) != nil {
		time.Sleep(time.Millisecond)
	}
}

// pending returns the number of files and links that differ from version v.
func (k *killing) pending(t *testing.T, v int) int {
	t.Helper()
	count := 0
	for name, want := range k.versions[v] {
		path := filepath.Join(k.dir, name)
		var found version
		var err error
		if want.target != "" {
			found.target, err = os.Readlink(path)
		} else {
			found, err = k.watcher.read(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if found != want {
			count++
		}
	}
	return count
}

func (k *killing) temporary(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(k.dir)
	resourcetest.Must(t, err)
	var temps []string
	for _, e := range entries {
		if host.IsTempPath(e.Name()) {
			temps = append(temps, e.Name())
		}
	}
	return temps
}

// TestAccFaultKill kills the provider at random moments of creates and updates over a
// slow connection, with the checks of [TestAccKill] for the files on the server.
func TestAccFaultKill(t *testing.T) {
	tier.Nightly(t)
	parallelInCI(t)
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	line := nettest.Start(t, server.Addr(), slowLine)
	w, program := ownProgram(t)
	k := newKilling(t, program, webAt(t, server, key, line.Addr()), func(config string) killed { return newCommandLine(w, config) })
	hits, left := 0, 0
	const rounds = 2
	v := 0
	for round := 0; killMore(round, rounds, hits); round++ {
		v = 1 + round%2
		if k.applyAndKill(t, v, 1+k.random.IntN(3*k.pending(t, v))) {
			hits++
		}
		left += len(k.temporary(t))
		k.apply(t, v)
	}
	resourcetest.Must(t, k.run.unchanged(t.Context(), v))
	t.Logf("%d applies were killed before their end, with %d temporary files left behind", hits, left)
	if hits == 0 {
		t.Error("no apply was killed before its end")
	}
}
