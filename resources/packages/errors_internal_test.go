package packages

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// TestRootHint checks that errors about missing privileges explain how to get them.
func TestRootHint(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web"})
	for output, want := range map[string]bool{
		"E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?": true,
		"Error: This command has to be run with superuser privileges":                              true,
		"ERROR: Unable to lock database: Permission denied":                                        true,
		"error: you cannot perform this operation unless you are root.":                            true,
		"E: Unable to correct problems, you have held broken packages.":                            false,
	} {
		cause := errors.New(output)
		err := (&manager{h: h, backend: apt{}}).installError(request{name: "hello"}, packageState{}, false, cause)
		if !errors.Is(err, cause) || strings.Contains(err.Error(), "set sudo = {} for host web") != want {
			t.Errorf("%q: the error is %v, want the advice to set sudo: %t", output, err, want)
		}
	}
}

// TestNoApt checks that the error of an update on a host without apt names apt-get, not env, which runs it.
func TestNoApt(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web", Run: func(context.Context, host.Command) (host.Result, error) {
		return host.Result{ExitCode: 127}, nil
	}})
	if err := (aptSources{}).updateIndex(t.Context(), h, "it"); err == nil || err.Error() != "host web has no program apt-get" {
		t.Errorf(`the error is %v, want "host web has no program apt-get"`, err)
	}
}
