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

// Recorded is a host that replays a transcript, or the root in which it is recorded.
type Recorded struct{ host.Host }

// Record returns the host of the transcript in testdata with the name of the test.
// While recording, this is the root that the test runs in. The names of such tests begin
// with TestRecorded: the documentation of package transcript has the command that
// records all of them.
func Record(t *testing.T, o transcript.Options) Recorded {
	t.Helper()
	if transcript.Recording() {
		roottest.Require(t)
	}
	o.Real = local.New
	return Recorded{transcript.Host(t, "testdata/"+t.Name()+".transcript", o)}
}

// Provider returns a provider of these types with this host only.
func (r Recorded) Provider(types runtime.Definition) func() (provider.Interface, error) {
	return ProviderOn(types, func() (host.Host, error) { return r.Host, nil })
}

// Does returns a function that runs a script with sh on the host, to make a manual
// change or a check. Its error contains the output of the script.
func (r Recorded) Does(script string) func() error {
	return func() error {
		var output strings.Builder
		result, err := r.Run(context.Background(), host.Command{Args: []string{"sh", "-ec", script}, Stdout: &output, Stderr: &output})
		if err == nil && result != (host.Result{}) {
			err = fmt.Errorf("%s: exit code %d: %s", script, result.ExitCode, output.String())
		}
		return err
	}
}
