package scenarios_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

var update = flag.Bool("update", false, "record the outcomes of the scenarios with the command line")

// TestMain turns off the protocol logs of terraform-plugin-go.
func TestMain(m *testing.M) {
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO"} {
		if err := os.Setenv(name, "off"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

const testdata = "testdata"

// all returns the scenarios in the order of their files.
func all(tb testing.TB) []*Scenario {
	tb.Helper()
	var out []*Scenario
	err := filepath.WalkDir(testdata, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".txtar") {
			return err
		}
		s, err := Read(testdata, file)
		out = append(out, s)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// TestCommandLine compares the recorded outcomes with those of the real command, or records
// them.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	if !*update && os.Getenv("ACCTEST_ENGINE") != "both" {
		t.Skip("set ACCTEST_ENGINE=both to compare the recorded outcomes with the command line")
	}
	found, _, err := tfcli.FromEnvironment().Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cli := commandLine{program: found.Path}
	for _, s := range all(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			got := s.Text(cli.run(t, s))
			if *update {
				if err := s.Record(got); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(s.Outcome(false), got); diff != "" {
				t.Errorf("outcome (-recorded +command line):\n%s", diff)
			}
		})
	}
}

// envTerraform is the environment variable with the path of the Terraform to compare or
// record outcomes with. Without it, the nightly tier uses terraform on the PATH.
const envTerraform = "SCENARIOS_TERRAFORM"

// TestTerraform is TestCommandLine with Terraform, ignoring the order of calls. Scenarios
// whose Terraform outcome was written by hand, or needs a newer Terraform, are skipped.
func TestTerraform(t *testing.T) {
	t.Parallel()
	program := os.Getenv(envTerraform)
	if program == "" {
		tier.Nightly(t)
		var err error
		if program, err = exec.LookPath("terraform"); err != nil {
			t.Skip("Terraform is missing: put terraform on the PATH, or set " + envTerraform)
		}
	}
	var tooOld *tfcli.TooOldError
	_, err := tfcli.Inspect(t.Context(), program)
	if err != nil && !errors.As(err, &tooOld) {
		t.Fatal(err)
	}
	for _, s := range all(t) {
		if s.ByHand || tooOld != nil && (s.Newer || s.NeedsIdentity()) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			got := s.Text(commandLine{program: program}.run(t, s))
			if *update {
				if err := s.RecordTerraform(got); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(Unordered(s.Outcome(true)), Unordered(got)); diff != "" {
				t.Errorf("outcome (-recorded +Terraform):\n%s", diff)
			}
		})
	}
}
