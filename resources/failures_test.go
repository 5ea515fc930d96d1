package resources_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// unmounted returns the arguments of a posix_mount that is only a line of /etc/fstab.
func unmounted() resourcetest.Attrs {
	set := maps.Clone(minimalArguments["posix_mount"])
	set["mounted"] = cty.False
	return set
}

// life has the configurations of an object during its lifecycle on the host of [newSystem].
type life struct {
	typeName        string
	create, changed resourcetest.Attrs
	// kept are the files that the destroy does not restore.
	kept []string
}

// provider returns a new provider that has only the type of the object.
func (l life) provider(t *testing.T, h host.Host) provider.Interface {
	t.Helper()
	name := strings.TrimPrefix(l.typeName, "posix_")
	return resourcetest.NewOn(t, runtime.Definition{Resources: map[string]runtime.ResourceRegistration{name: memoryTypes().Resources[name]}}, h)
}

// lives returns a life for each type in [memoryTypes], and one for a posix_package_repository with a key.
func lives(t *testing.T) map[string]life {
	t.Helper()
	source := t.TempDir()
	resourcetest.Write(t, filepath.Join(source, "one"), "1", 0o644)
	resourcetest.Write(t, filepath.Join(source, "two"), "2", 0o644)
	at := map[string]resourcetest.Attrs{
		"posix_directory":  {"path": str("/dir/it")},
		"posix_file":       {"path": str("/dir/it")},
		"posix_file_block": {"path": str("/dir/lines")},
		"posix_mount":      unmounted(),
		"posix_symlink":    {"path": str("/dir/it")},
		"posix_sysctl":     {"key": str("vm.swappiness")},
		"posix_tree":       {"path": str("/dir/it"), "source": str(source)},
	}
	all := map[string]life{}
	for name := range memoryTypes().Resources {
		typeName := "posix_" + name
		one := life{typeName: typeName, create: maps.Clone(minimalArguments[typeName])}
		maps.Copy(one.create, at[typeName])
		one.changed = maps.Clone(one.create)
		maps.Copy(one.changed, changedArguments[typeName])
		if name == "hostname" {
			one.kept = []string{"/etc/hostname", currentName}
		}
		all[typeName] = one
	}
	withKey := func(address string) resourcetest.Attrs {
		return resourcetest.Attrs{
			"name": str("a"), "manager": str("apk"), "uris": cty.ListVal([]cty.Value{str(address)}),
			"key": str("-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----\n"),
		}
	}
	all["posix_package_repository with key"] = life{
		typeName: "posix_package_repository", create: withKey("https://packages.example.com"), changed: withKey("https://mirror.example.com"),
	}
	return all
}

// contentsOn returns the files on a host by path, except those in kept: the content of regular files, and the type of
// others.
func contentsOn(t *testing.T, h host.Host, kept []string) map[string]string {
	t.Helper()
	all := resourcetest.FilesOn(t, h)
	for name, kind := range all {
		if kind == host.TypeRegular.String() {
			_, text, err := textedit.Read(t.Context(), h, address.Path(name))
			resourcetest.Must(t, err)
			all[name] = string(text)
		}
	}
	maps.DeleteFunc(all, func(name, _ string) bool { return slices.Contains(kept, name) })
	return all
}

// reads are operations that change nothing.
var reads = []string{"Lstat", "Open", "ReadDir"}

// needSpace are operations that need space on the disk.
var needSpace = []string{"WriteFile", "Mkdir", "Symlink", "ReplaceSymlink"}

// TestHostFailures makes each operation of a host fail once in the lifecycle of each type in [memoryTypes], because
// the disk is full, or the connection is lost before the operation or, unless the operation is one of [reads], after
// it. The test checks that the error names the host and the cause, that the step succeeds when it is repeated, and that
// the destroy leaves the host as it was before.
func TestHostFailures(t *testing.T) {
	t.Parallel()
	for name, it := range lives(t) {
		for what, tt := range map[string]struct {
			err    error
			remedy string // of an operation that needs space
			late   bool   // whether the operation takes effect before it fails
		}{
			"disk full":       {err: syscall.ENOSPC, remedy: "on host town is full: free space or inodes and apply again"},
			"connection lost": {err: fmt.Errorf("no answer: %w", host.ErrLost)},
			"result lost":     {err: fmt.Errorf("no answer: %w", host.ErrLost), late: true},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				for n := 1; ; n++ {
					h := newSystem(t)
					before := contentsOn(t, h, it.kept)
					count, failed := 0, ""
					fail := func(op string) error {
						if tt.late && slices.Contains(reads, op) {
							return nil
						}
						if count++; count == n {
							failed = op
							return tt.err
						}
						return nil
					}
					least := 5 // operations of a whole lifecycle
					if tt.late {
						h.lost, least = fail, 3
					} else {
						h.fault = fail
					}
					o := resourcetest.NewObject(t, it.provider(t, h), it.typeName)
					apply := func(set resourcetest.Attrs) func() diag.Diagnostics {
						return func() diag.Diagnostics {
							plan := o.Plan(set)
							if plan.Diagnostics.HasErrors() {
								return plan.Diagnostics
							}
							return o.ApplyPlan(set, plan)
						}
					}
					destroy := func() diag.Diagnostics {
						if o.State.IsNull() {
							return nil
						}
						return o.Destroy()
					}
					for _, step := range []func() diag.Diagnostics{apply(it.create), o.Read, apply(it.changed), o.Read, destroy} {
						diags := step()
						if !diags.HasErrors() {
							continue
						}
						text := diags.Error()
						if !strings.Contains(text, tt.err.Error()) || !strings.Contains(text, "town") {
							t.Errorf("the error of a failed %s lacks %q or the host town: %v", failed, tt.err, diags)
						}
						if slices.Contains(needSpace, failed) && !strings.Contains(text, tt.remedy) {
							t.Errorf("the error of a failed %s lacks %q: %v", failed, tt.remedy, diags)
						}
						if tt.late { // the next run refreshes the state
							o.NextRun()
							o.Refresh()
						}
						if again := step(); again.HasErrors() {
							t.Errorf("the second attempt after a failed %s failed too: %v", failed, again)
						}
					}
					h.fault, h.lost = nil, nil
					if diff := gocmp.Diff(before, contentsOn(t, h, it.kept)); diff != "" {
						t.Errorf("after a failed %s (operation %d), the destroy left differences (-before +after):\n%s", failed, n, diff)
					}
					if failed == "" {
						if n-1 < least {
							t.Errorf("only %d operations, want at least %d", n-1, least)
						}
						return
					}
				}
			})
		}
	}
}

// TestLookupFailures breaks the connection at each operation of a host in the data sources and ephemeral resources that
// work on the host of [newSystem]. It checks that the error names the host and the cause, so that a part of a result is
// not taken for the whole.
func TestLookupFailures(t *testing.T) {
	t.Parallel()
	file, command := resourcetest.Attrs{"path": str("/dir/lines")}, resourcetest.Attrs{"command": str("true")}
	for name, tt := range map[string]struct {
		typeName  string
		set       resourcetest.Attrs
		ephemeral bool
	}{
		"file":              {"posix_file", file, false},
		"ephemeral file":    {"posix_file", file, true},
		"directory":         {"posix_directory", resourcetest.Attrs{"path": str("/etc"), "recursive": cty.True}, false},
		"command":           {"posix_command", command, false},
		"ephemeral command": {"posix_command", command, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				h := newSystem(t)
				count, failed := 0, ""
				h.fault = func(op string) error {
					if count++; count == n {
						failed = op
						return fmt.Errorf("no answer: %w", host.ErrLost)
					}
					return nil
				}
				p, err := resources.Build(func() (host.Host, error) { return h, nil })
				resourcetest.Must(t, err)
				resourcetest.Configure(t, p)
				var diags diag.Diagnostics
				if tt.ephemeral {
					diags = resourcetest.NewEphemeral(t, p, tt.typeName).Open(tt.set)
				} else {
					diags = resourcetest.NewData(t, p, tt.typeName).Read(tt.set)
				}
				if failed == "" {
					resourcetest.NoErrors(t, diags)
					if n == 1 {
						t.Error("the lookup made no operation on the host")
					}
					return
				}
				if text := diags.Error(); !diags.HasErrors() || !strings.Contains(text, "no answer") || !strings.Contains(text, "town") {
					t.Errorf("after a failed %s (operation %d): %v, want an error with \"no answer\" and the host town", failed, n, diags)
				}
			}
		})
	}
}

// TestKilled kills the provider or its client after each operation on a host in the lifecycle of each type in
// [memoryTypes]: all later operations of the create, update or destroy do not reach the host, and after the last one,
// the result does not reach the client. The client then has the object as it was before, without its private data if
// the provider was killed. The test checks that the next run completes the step, and that the destroy leaves the host
// as it was before.
func TestKilled(t *testing.T) {
	t.Parallel()
	for name, it := range lives(t) {
		if it.typeName == "posix_sysctl" { // only private data has the kernel's value from before the create
			it.kept = []string{"/proc/sys/vm/swappiness"}
		}
		for _, killed := range tier.Pick([]string{"provider"}, []string{"client", "provider"}, []string{"client", "provider"}) {
			t.Run(name+", "+killed, func(t *testing.T) {
				t.Parallel()
				for n := 0; ; n++ {
					h := newSystem(t)
					before := contentsOn(t, h, it.kept)
					count, missed := 0, "" // the first operation that does not reach the host
					h.fault = func(op string) error {
						if count++; count <= n {
							return nil
						}
						missed = cmp.Or(missed, op)
						return fmt.Errorf("killed: %w", host.ErrLost)
					}
					o := resourcetest.NewObject(t, it.provider(t, h), it.typeName)
					run := func(set resourcetest.Attrs) diag.Diagnostics {
						if diags := o.Read(); diags.HasErrors() || o.State.IsNull() && set == nil {
							return diags
						}
						if set == nil {
							return o.DeleteNow()
						}
						plan := o.Plan(set)
						if plan.Diagnostics.HasErrors() {
							return plan.Diagnostics
						}
						return o.ApplyPlan(set, plan)
					}
					for _, set := range []resourcetest.Attrs{it.create, it.changed, nil} {
						was := *o
						diags := run(set)
						if h.fault != nil && (missed != "" || count == n) {
							missed = cmp.Or(missed, "the result")
							h.fault = nil
							*o = was
							o.Provider = it.provider(t, h)
							if killed == "provider" {
								o.Private = nil
							}
							diags = run(set)
						}
						if diags.HasErrors() {
							t.Fatalf("the run after a kill before %s (operation %d) failed: %v", missed, n+1, diags)
						}
						if set != nil && h.fault == nil {
							o.NoChange(set)
						}
					}
					h.fault = nil
					if diff := gocmp.Diff(before, contentsOn(t, h, it.kept)); diff != "" {
						t.Errorf("after a kill before %s (operation %d), the destroy left differences (-before +after):\n%s", missed, n+1, diff)
					}
					if missed == "" {
						return
					}
				}
			})
		}
	}
}
