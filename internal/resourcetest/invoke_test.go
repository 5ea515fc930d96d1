package resourcetest_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestInvoke checks that actions may refer to local values, and that Invoke returns the
// progress messages and the errors of each action.
func TestInvoke(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		text := cmd.Args[len(cmd.Args)-1]
		_, err := io.WriteString(cmd.Stdout, "ran "+text+"\n")
		return host.Result{ExitCode: strings.Count(text, "fail")}, err
	}})
	types := runtime.Definition{Actions: map[string]runtime.ActionRegistration{"command": command.ActionType()}}
	got := resourcetest.Invoke(t, resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }), `
locals {
  command = "greet"
}

provider "posix" {}

action "posix_command" "good" {
  config {
    command = local.command
  }
}

action "posix_command" "bad" {
  config {
    command = "${local.command} and fail"
  }
}

action "posix_command" "unplanned" {
  config {
    command = local.nothing
  }
}
`)
	for label, invoked := range got {
		if len(invoked.Progress) == 2 {
			invoked.Progress = invoked.Progress[:1] // the second message has the duration
		}
		got[label] = invoked
	}
	want := map[string]resourcetest.Invoked{
		"good": {Progress: []string{"ran greet"}},
		"bad": {Progress: []string{"ran greet and fail"}, Failed: "Error when invoking action: command: Cannot invoke posix_command: " +
			"the command on host local ended with exit code 1. Its output on stdout:\nran greet and fail"},
		"unplanned": {Planned: "Reference to undeclared local value: There is no local value \"nothing\" in the root module."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results of Invoke (-want +got):\n%s", diff)
	}
}
