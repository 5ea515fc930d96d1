package conformance_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/examples/note"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestNote is the conformance test of the resource of examples/note.
func TestNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) {
			return runtime.New(runtime.Definition{
				Name: "demo",
				Resources: map[string]runtime.ResourceRegistration{
					"note": runtime.MakeResource[note.Note, *note.NoteOutput, runtime.NoConfig](),
				},
			})
		},
		Types: map[string]conformance.Type{"demo_note": {
			// Without this, notes would have random paths.
			Values: map[string]func(*rand.Rand) cty.Value{"path": func(r *rand.Rand) cty.Value {
				return cty.StringVal(filepath.Join(dir, string(rune('a'+r.IntN(3)))))
			}},
			Drift: func(_ context.Context, state cty.Value) error {
				return os.WriteFile(state.GetAttr("path").AsString(), []byte("scribble"), 0o600)
			},
			ImportID: func(state cty.Value) string { return state.GetAttr("path").AsString() },
		}},
		Runs: 50,
	})
}
