package resources_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// needSpace are operations that need space on the disk.
var needSpace = []string{"WriteFile", "Mkdir", "Symlink", "ReplaceSymlink"}

// TestHostFailures lets each operation of a host fail once in the lifecycle of each type in [pathTypes], because
// the disk is full or the connection is lost. It checks that the error names the host and the cause, that the
// step succeeds when it is repeated, and that the destroy leaves the host as it was before.
func TestHostFailures(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	resourcetest.Write(t, filepath.Join(source, "one"), "1", 0o644)
	at := map[string]resourcetest.Attrs{
		"posix_directory":  {"path": str("/dir/it")},
		"posix_file":       {"path": str("/dir/it")},
		"posix_file_block": {"path": str("/dir/lines")},
		"posix_symlink":    {"path": str("/dir/it")},
		"posix_sysctl":     {"key": str("vm.swappiness")},
		"posix_tree":       {"path": str("/dir/it"), "source": str(source)},
	}
	for name := range pathTypes.Resources {
		typeName := "posix_" + name
		set := maps.Clone(minimalArguments[typeName])
		maps.Copy(set, at[typeName])
		changed := maps.Clone(set)
		maps.Copy(changed, changedArguments[typeName])
		for name, tt := range map[string]struct {
			err    error
			remedy string // of an operation that needs space
		}{
			"disk full":       {syscall.ENOSPC, "on host town is full: free space or inodes and apply again"},
			"connection lost": {fmt.Errorf("no answer: %w", host.ErrLost), ""},
		} {
			t.Run(typeName+", "+name, func(t *testing.T) {
				t.Parallel()
				for n := 1; ; n++ {
					h := newSystem(t)
					before := resourcetest.FilesOn(t, h)
					count, failed := 0, ""
					h.fault = func(op string) error {
						if count++; count == n {
							failed = op
							return tt.err
						}
						return nil
					}
					o := resourcetest.NewObject(t, resourcetest.NewOn(t, pathTypes, h), typeName)
					apply := func(set resourcetest.Attrs) func() diag.Diagnostics {
						return func() diag.Diagnostics {
							plan := o.Plan(set)
							if plan.Diagnostics.HasErrors() {
								return plan.Diagnostics
							}
							return o.ApplyPlan(set, plan)
						}
					}
					for _, step := range []func() diag.Diagnostics{apply(set), o.Read, apply(changed), o.Read, o.Destroy} {
						diags := step()
						if !diags.HasErrors() {
							continue
						}
						text := diags.Error()
						if !strings.Contains(text, tt.err.Error()) || !strings.Contains(text, "town") {
							t.Errorf("the error of a failed %s has no cause or host: %v", failed, diags)
						}
						if slices.Contains(needSpace, failed) && !strings.Contains(text, tt.remedy) {
							t.Errorf("the error of a failed %s has no remedy: %v", failed, diags)
						}
						if again := step(); again.HasErrors() {
							t.Errorf("second attempt after a failed %s: %v", failed, again)
						}
					}
					h.fault = nil
					if after := resourcetest.FilesOn(t, h); !maps.Equal(after, before) {
						t.Errorf("after a failed %s, the destroy left %v, and before there was %v", failed, after, before)
					}
					if failed == "" {
						if n < 6 {
							t.Errorf("only %d operations", n)
						}
						return
					}
				}
			})
		}
	}
}
