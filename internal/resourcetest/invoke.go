package resourcetest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// Invoked is the output of an action.
type Invoked struct {
	Planned  string   // errors and warnings of a failed validation, or of the plan
	Progress []string // progress messages
	Failed   string   // errors and warnings of a failed apply, or ""
}

// Invoke runs the actions of a configuration, such as the one that [ExampleFile] returns for
// "actions/posix_reboot/action.tf", and returns their output by label. Each is triggered by
// the create of an object, on an engine with the rules of Terraform. An action whose validation or
// plan fails is not invoked. Resource blocks in the text are ignored.
func Invoke(t *testing.T, p func() (provider.Interface, error), text string) map[string]Invoked {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "text", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var actions []*hclsyntax.Block
	var shared strings.Builder                                 // blocks for all actions
	for _, block := range file.Body.(*hclsyntax.Body).Blocks { //nolint:forcetypeassert // as ParseConfig documents
		switch block.Type {
		case "action":
			if len(block.Labels) != 2 {
				t.Fatalf("%s: the action block needs a type and a label", block.DefRange())
			}
			actions = append(actions, block)
		case "resource":
		default:
			fmt.Fprintf(&shared, "%s\n", block.Range().SliceBytes([]byte(text)))
		}
	}
	if len(actions) == 0 {
		t.Fatal("the configuration has no action block")
	}
	all := map[string]Invoked{}
	for _, block := range actions {
		typeName, label := block.Labels[0], block.Labels[1]
		all[label] = invoke(t, p, fmt.Sprintf(`%s%s
resource "terraform_data" "trigger" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.%s.%s]
    }
  }
}
`, shared.String(), block.Range().SliceBytes([]byte(text)), typeName, label))
	}
	return all
}

// invoke runs the action of a configuration with one trigger.
func invoke(t *testing.T, p func() (provider.Interface, error), text string) (result Invoked) {
	t.Helper()
	e, config := load(t, func() (provider.Interface, error) {
		made, err := p()
		return reporting{made, &result.Progress}, err
	}, configs.Files{"main.tf": []byte(text)})
	problems := e.Validate(t.Context(), config)
	if problems.HasErrors() {
		result.Planned = messages(problems)
		return result
	}
	plan, problems := e.Plan(t.Context(), config, states.NewState(), engine.PlanOptions{})
	result.Planned = messages(problems)
	if problems.HasErrors() {
		return result
	}
	if _, problems = e.Apply(t.Context(), config, plan); problems.HasErrors() {
		result.Failed = messages(problems)
	}
	return result
}

// messages returns the text of errors and warnings.
func messages(problems tfdiags.Diagnostics) string {
	lines := make([]string, len(problems))
	for i, m := range problems {
		detail := m.Detail
		if len(m.Path) > 0 {
			detail = diag.FormatPath(m.Path) + ": " + detail
		}
		lines[i] = m.Summary + ": " + detail
	}
	return strings.Join(lines, "\n")
}

// reporting is a provider that records the progress messages of its action.
type reporting struct {
	provider.Interface
	progress *[]string
}

func (r reporting) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	resp := r.Interface.InvokeAction(ctx, req)
	if resp.Events != nil {
		resp.Events = r.record(resp.Events)
	}
	return resp
}

func (r reporting) record(events iter.Seq[provider.ActionEvent]) iter.Seq[provider.ActionEvent] {
	return func(yield func(provider.ActionEvent) bool) {
		for event := range events {
			if event, ok := event.(provider.ActionProgress); ok {
				*r.progress = append(*r.progress, event.Message)
			}
			if !yield(event) {
				return
			}
		}
	}
}
