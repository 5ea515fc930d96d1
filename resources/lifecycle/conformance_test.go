package lifecycle_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestConformance checks the laws of package conformance on files, directories and links of
// a host in memory whose operations can fail.
func TestConformance(t *testing.T) {
	t.Parallel()
	var h host.Host
	left := -1 // number of operations that succeed before one fails; negative if none fails
	reset := func(ctx context.Context) error {
		left = -1
		h = resourcetest.NewHost(func(string, string) error {
			if left--; left == -1 {
				return errors.New("input/output error")
			}
			return nil
		})
		_, err := h.Mkdir(ctx, "/tried", host.Attributes{})
		return err
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
		Types: conformanceTypes("/tried", func() host.Host { return h }),
		Runs:  tier.Pick(2, 15, 200),
	}
	if err := reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, s := range kept.Types {
		if name == "posix_symlink" {
			continue // posix_symlink has no attribute owner
		}
		s.Values["owner"], s.Values["group"] = oneOf("root", "alice", "bob"), oneOf("root", "alice", "staff")
		kept.Types[name] = s
	}
	conformance.Conformance(t, kept)
	// An import returns content as text if possible, even if the content is configured in another
	// attribute, so such content is tested separately.
	kept.Types = map[string]conformance.Type{"posix_file": otherContent(t, kept.Types["posix_file"])}
	conformance.Conformance(t, kept)
}

// TestConformanceOnDisk checks the same laws, except that of drift, on the local host with fewer runs.
func TestConformanceOnDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tried")
	tried := conformanceTypes(dir, func() host.Host { return nil })
	for name, s := range tried {
		s.Drift = nil                // drift needs the host in memory
		if name != "posix_symlink" { // posix_symlink has no attribute owner
			// The users and groups of this host are not known.
			s.Leave = append(s.Leave, "owner", "group")
		}
		tried[name] = s
	}
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return resourcetest.Provider(types)() },
		Reset:    func(context.Context) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)) },
		Types:    tried,
		Runs:     tier.Pick(1, 5, 25),
	})
}

// conformanceTypes returns the types with test values, import IDs and drift. The attribute host
// is not set, because other hosts cannot be reached.
func conformanceTypes(dir string, h func() host.Host) map[string]conformance.Type {
	var places []string
	for _, name := range []string{"a", "b", "a b", "é", "-x", "%s", "new/a", "'\"$(x)`"} {
		places = append(places, dir+"/"+name)
	}
	modes := oneOf("0644", "644", "0600", "600", "0755", "4755", "0777", "0700", "750")
	values := func() map[string]func(*rand.Rand) cty.Value {
		return map[string]func(*rand.Rand) cty.Value{"path": oneOf(places...), "mode": modes}
	}
	importID := func(state cty.Value) string { return state.GetAttr("path").AsString() }
	return map[string]conformance.Type{
		"posix_file": {
			Values: values(), ImportID: importID,
			Leave:     []string{"host", "write_options", "content_wo", "content_wo_version", "source", "content_base64"},
			StateOnly: []string{"write_options", "follow_links"},
			Drift: func(ctx context.Context, state cty.Value) error {
				_, err := h().WriteFile(ctx, importID(state), strings.NewReader("scribbled"), host.WriteOptions{})
				return err
			},
		},
		"posix_directory": {
			Values: values(), ImportID: importID,
			Leave:     []string{"host"},
			StateOnly: []string{"parents", "force_destroy", "follow_links"},
			Drift: func(ctx context.Context, state cty.Value) error {
				_, err := h().SetAttributes(ctx, importID(state), host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o711))})
				return err
			},
		},
		"posix_symlink": {
			Values: map[string]func(*rand.Rand) cty.Value{"path": oneOf(places...)}, ImportID: importID,
			Leave:     []string{"host"},
			StateOnly: []string{"follow_links"},
			Drift: func(ctx context.Context, state cty.Value) error {
				_, err := h().ReplaceSymlink(ctx, "somewhere else", importID(state), nil)
				return err
			},
		},
	}
}

// otherContent returns the type of files whose content is not configured as text.
func otherContent(t *testing.T, s conformance.Type) conformance.Type {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(source, []byte("content of the source"), fs.FileMode(0o600)); err != nil {
		t.Fatal(err)
	}
	s.Values["source"] = oneOf(source)
	s.Values["content_base64"] = oneOf("", "YQ==", "AAEC/w==")
	s.Leave = []string{"host", "write_options", "content"}
	s.StateOnly = append(s.StateOnly, "content", "content_base64", "source", "content_wo_version", "sha256")
	return s
}

func oneOf(list ...string) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value { return cty.StringVal(list[r.IntN(len(list))]) }
}
