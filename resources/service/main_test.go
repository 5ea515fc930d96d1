package service_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/functions"
	"github.com/posixform/terraform-provider-posix/resources/service"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestMain runs the tests in a root with the programs of OpenRC and of systemd, neither of
// which has booted the root. Tests of OpenRC make the root look booted: see openRC. Tests of a
// running systemd start a root in which it runs. The fast tier has no roots.
func TestMain(m *testing.M) {
	flag.Parse() // the tier is a flag
	// Transcripts need no delays, and the failing services of these tests end within about 0.1 seconds.
	service.SetWaits(tier.Pick(0, 400*time.Millisecond, time.Second), tier.Pick(0, 50*time.Millisecond, 250*time.Millisecond))
	roottest.Main(m, roottest.Options{Packages: []string{"openrc", "systemd", "cron"}, Starts: resourcetest.Systemd})
}

// types are the types of this package, and posix_file and the functions, which the examples use.
var types = runtime.Definition{
	Resources: map[string]runtime.ResourceRegistration{
		"service": service.Resource(), "systemd_unit": service.UnitResource(), "file": file.Resource(),
	},
	DataSources: map[string]runtime.DataSourceRegistration{"services": service.DataSource()},
	Lists:       map[string]runtime.ListRegistration{"service": service.Lister()},
	Actions:     map[string]runtime.ActionRegistration{"service_restart": service.Action()},
	Functions:   functions.All(),
}

var serve = resourcetest.Provider(types)

// sh runs a script in the root and returns its trimmed output, even after an error.
func sh(script string) (string, error) {
	out, err := exec.Command("sh", "-ec", script).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("%w: %s", err, text)
	}
	return text, nil
}

func must(t *testing.T, script string) string {
	t.Helper()
	out, err := sh(script)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// does returns a function that runs a script in the root.
func does(script string) func() error {
	return func() error {
		_, err := sh(script)
		return err
	}
}

// prints returns a check of the output of a script, whose last command may fail.
func prints(script, want string) func() error {
	return func() error {
		got, err := sh(script + " || :")
		if err == nil && got != want {
			err = fmt.Errorf("%s prints %q, want %q", script, got, want)
		}
		return err
	}
}

// exists reports whether a path exists.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
