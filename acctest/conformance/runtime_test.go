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
	"github.com/posixform/terraform-provider-posix/internal/demo"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// TestRuntime checks types of package runtime with nested objects, blocks, write-only
// arguments, dynamic values, volatile outputs and timeouts.
func TestRuntime(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(context.Context) (provider.Interface, error){
		"in process": func(context.Context) (provider.Interface, error) { return demo.New() },
		"over the wire": func(ctx context.Context) (provider.Interface, error) {
			p, err := demo.New()
			if err != nil {
				return nil, err
			}
			server, err := tfprotov6.NewServer(ctx, p)
			if err != nil {
				return nil, err
			}
			return tfprotov6.NewClient(server)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filepath.Join(t.TempDir(), "notebook")
			one, err := demo.New()
			if err != nil {
				t.Fatal(err)
			}
			config := one.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Provider.Body.EmptyValue().AsValueMap()
			config["directory"], config["owner"], config["password"] = cty.StringVal(directory), cty.StringVal("ada"), cty.StringVal("hush")
			conformance.Conformance(t, conformance.Options{
				Provider: build, Config: cty.ObjectVal(config), Seed: 1, Runs: 15,
				Reset: func(context.Context) error { return os.RemoveAll(directory) },
				Types: map[string]conformance.Type{
					"demo_badge": {MutableIdentity: true},
					"demo_page":  {StateOnly: []string{"text_wo_version", "read_at"}, Volatile: []string{"read_at"}},
					"demo_sheet": {},
				},
			})
		})
	}
}

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
			// Without Values, notes would have random paths.
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
