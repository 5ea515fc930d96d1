package tree_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

func oneOf(values ...string) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
}

// TestConformance runs the checks of package conformance on trees of a host in memory, whose
// operations can fail.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sources := map[string]files{
		"one":   {"a": "a", "dir/b": "b", "run": "#!", "link": "-> a"},
		"two":   {"a": "other", "dir/c": "c", "link": "-> b", "deep/er/x": ""},
		"empty": {},
	}
	var paths []string
	for name, f := range sources {
		f.write(t, filepath.Join(dir, name))
		paths = append(paths, filepath.Join(dir, name))
	}
	var h host.Host
	var mu sync.Mutex
	left := -1 // operations until one fails; negative for none
	reset := func(ctx context.Context) error {
		left = -1
		h = memory.New(memory.Config{
			Name:  "local",
			Users: []host.User{{Name: "root"}, {Name: "alice", UID: 1000, GID: 1000}}, Groups: []host.Group{{Name: "root"}, {Name: "alice", GID: 1000}},
			Fault: func(string, string) error {
				mu.Lock()
				defer mu.Unlock()
				if left--; left == -1 {
					return errors.New("input/output error")
				}
				return nil
			},
		})
		_, err := h.Mkdir(ctx, "/tried", host.Attributes{})
		return err
	}
	importID := func(state cty.Value) string { return state.GetAttr("path").AsString() }
	if err := reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	tried := conformance.Type{
		Leave: []string{"host", "exclude"}, // excluded objects remain when an imported tree is destroyed
		Values: map[string]func(*rand.Rand) cty.Value{
			"path": oneOf("/tried/a", "/tried/a b", "/tried/é", "/tried/new/a", "/tried/'\"$(x)`"), "source": oneOf(paths...),
			"file_mode": oneOf("0644", "600", "4755", "0640"), "executable_mode": oneOf("0755", "700"), "directory_mode": oneOf("0755", "0700", "750"),
			"owner": oneOf("root", "alice"), "group": oneOf("root", "alice"),
		},
		Fix:      func(_ *rand.Rand, config map[string]cty.Value) { config["purge"] = cty.True },
		ImportID: importID,
		// An import cannot read the inputs, and its digest and counts cover all objects of the directory.
		StateOnly: []string{"digest", "files", "directories", "links", "size", "source", "exclude", "purge", "parents", "overwrite", "follow_links", "file_mode", "executable_mode", "directory_mode", "added", "changed", "removed", "changes", "unfinished", "record"},
		Volatile:  []string{"added", "changed", "removed", "changes"}, // null in the next run
		Drift: func(ctx context.Context, state cty.Value) error {
			_, err := h.SetAttributes(ctx, importID(state), host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o711))})
			if _, gone := h.Lstat(ctx, importID(state)+"/a"); err == nil && gone == nil {
				_, err = h.WriteFile(ctx, importID(state)+"/a", strings.NewReader("scribbled"), host.WriteOptions{})
			}
			return err
		},
	}
	kept := conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) {
			return resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })()
		},
		Reset: reset,
		Fail: func(n int) func() {
			left = n
			return func() { left = -1 }
		},
		Runs: 30,
	}
	// After an import, objects that another source does not have are kept without
	// purge, so that destroy cannot remove the directory. Therefore, there is only one source.
	for _, purges := range []bool{true, false} {
		if !purges {
			tried.Fix = nil
			tried.Leave = []string{"host", "purge", "exclude"}
			tried.Values["source"] = oneOf(paths[0])
		}
		kept.Types = map[string]conformance.Type{"posix_tree": tried}
		conformance.Conformance(t, kept)
	}
}
