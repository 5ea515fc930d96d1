package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// demo is a temporary directory and the command that runs in it.
type demo struct {
	cli      tfcli.CLI
	config   string // directory of the configuration and the state
	files    string // directory of the managed files
	rc       string // CLI configuration file
	example  string // directory that the configuration is copied from
	recorded string // file with the expected plan of the drift step, or ""
	update   bool   // write recorded instead of comparing with it
}

// byIdentity matches the identity in an import block.
var byIdentity = regexp.MustCompile(`identity = \{\s*path = (.*)\s*\}`)

// addConfig copies a file of the example into the configuration. OpenTofu and Terraform before 1.12 import by ID only.
func (d *demo) addConfig(name string) error {
	content, err := os.ReadFile(filepath.Join(d.example, name))
	if err != nil {
		return err
	}
	if d.cli.Old {
		content = byIdentity.ReplaceAll(content, []byte("id = $1"))
	}
	return os.WriteFile(filepath.Join(d.config, filepath.Base(name)), content, 0o600)
}

// exitError is the failure of a command, with everything that it printed.
type exitError struct {
	args   []string
	code   int
	output string
}

func (e *exitError) Error() string {
	return fmt.Sprintf("%s ended with exit code %d:\n%s", strings.Join(e.args, " "), e.code, e.output)
}

// tf runs the command and returns its standard output.
func (d *demo) tf(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, d.cli.Path, args...)
	// The terminal sends Ctrl-C to the command as well, which then stops cleanly.
	cmd.Cancel = func() error { return nil }
	cmd.Dir = d.config
	cmd.Env = append(tfcli.Environ(os.Environ(), d.rc), "TF_VAR_root="+d.files)
	var out, all bytes.Buffer
	cmd.Stdout = io.MultiWriter(&out, &all)
	cmd.Stderr = &all
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), &exitError{args: cmd.Args, code: exit.ExitCode(), output: all.String()}
	}
	return out.String(), err
}

// change is the planned change of one resource.
type change struct {
	Address string `json:"address"`
	Change  struct {
		Actions   []string        `json:"actions"`
		Before    map[string]any  `json:"before"`
		After     map[string]any  `json:"after"`
		Importing json.RawMessage `json:"importing"`
	} `json:"change"`
}

func (c change) String() string {
	actions := strings.Join(c.Change.Actions, "+")
	if c.Change.Importing != nil {
		actions = "import, " + actions
	}
	return c.Address + ": " + actions
}

// attributes returns the names of the attributes that the plan changes to a known
// value, sorted.
func (c change) attributes() []string {
	var names []string
	for name, after := range c.Change.After {
		if fmt.Sprint(after) != fmt.Sprint(c.Change.Before[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// plan saves a plan. It returns the planned changes, without no-ops other than imports, and the text of
// the plan.
func (d *demo) plan(ctx context.Context) ([]change, string, error) {
	text, err := d.tf(ctx, "plan", "-no-color", "-input=false", "-out=tfplan")
	if err != nil {
		return nil, text, err
	}
	out, err := d.tf(ctx, "show", "-json", "tfplan")
	if err != nil {
		return nil, text, err
	}
	var plan struct {
		Changes []change `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		return nil, text, fmt.Errorf("cannot decode the plan: %w", err)
	}
	return slices.DeleteFunc(plan.Changes, func(c change) bool {
		return slices.Equal(c.Change.Actions, []string{"no-op"}) && c.Change.Importing == nil
	}), text, nil
}

// applyPlan applies the plan that plan saved.
func (d *demo) applyPlan(ctx context.Context) error {
	_, err := d.tf(ctx, "apply", "-no-color", "-input=false", "tfplan")
	return err
}
