package resourcetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Recorded is a host that answers from a transcript, or the root in which that is
// recorded.
type Recorded struct{ host.Host }

// Record returns the host of the transcript that has the name of the test, in
// testdata. While it is recorded, that is the root that the test runs in. Such tests
// have names that begin with TestRecorded: the doc of package transcript has the
// command that records them all.
func Record(t *testing.T, o transcript.Options) Recorded {
	t.Helper()
	if transcript.Recording() {
		roottest.Require(t)
	}
	o.Real = local.New
	return Recorded{transcript.Host(t, "testdata/"+t.Name()+".transcript", o)}
}

// Provider returns a provider of these types that has no other host.
func (r Recorded) Provider(types runtime.Definition) func() (provider.Interface, error) {
	return ProviderOn(types, func() (host.Host, error) { return r.Host, nil })
}

// Does returns what runs a script for sh on the host, as a change by hand or as a
// check. The error has what the script prints.
func (r Recorded) Does(script string) func() error {
	return func() error {
		var said strings.Builder
		result, err := r.Run(context.Background(), host.Command{Args: []string{"sh", "-ec", script}, Stdout: &said, Stderr: &said})
		if err == nil && result != (host.Result{}) {
			err = fmt.Errorf("%s: exit code %d: %s", script, result.ExitCode, said.String())
		}
		return err
	}
}
