package command_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestConformanceOfCommands uses commands that create nothing: the objects exist in the
// state only.
func TestConformanceOfCommands(t *testing.T) {
	t.Parallel()
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return resourcetest.Provider(types)() },
		Runs:     tier.Pick(2, 10, 50),
		Types: map[string]conformance.Type{"posix_command": {
			Leave:   []string{"host", "interpreter", "working_directory", "timeout", "allowed_exit_codes", "absent_exit_codes"},
			Logical: true,
			Values: map[string]func(*rand.Rand) cty.Value{
				"create": oneOf("true", "echo made", "echo made; echo again"),
				"read":   oneOf("true", "echo here"),
				"update": oneOf("true", "echo changed"),
				"delete": oneOf("true", "echo gone"),
			},
			StateOnly: []string{
				"host", "create", "read", "update", "delete", "triggers", "stdin", "stdin_wo_version", "environment", "environment_wo_version",
				"sensitive_environment", "sensitive_output", "observed", "sensitive_observed", "stdout", "stderr", "sensitive_stdout",
				"sensitive_stderr", "exit_code",
			},
		}},
	})
}

func oneOf(list ...string) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value { return cty.StringVal(list[r.IntN(len(list))]) }
}
