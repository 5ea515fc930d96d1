package sysctl_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/sysctl"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{PrivateNet: true}) }

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"sysctl": sysctl.Resource()}}

// The tests share the parameters of one kernel, so they are not parallel.

const (
	forward     = "/proc/sys/net/ipv4/ip_forward"
	forwardFile = "/etc/sysctl.d/99-posix-net.ipv4.ip_forward.conf"
	somaxconn   = "/proc/sys/net/core/somaxconn"
)

func write(path, text string) func() error {
	return func() error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
}

func read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// is returns a function that checks that files, including those of the kernel, have these values or end with them.
func is(want map[string]string) func() error {
	return func() error {
		var errs []error
		for path, value := range want {
			if got := read(path); got != value && !strings.HasSuffix(got, " "+value) {
				errs = append(errs, fmt.Errorf("%s has %q, want %q", path, got, value))
			}
		}
		return errors.Join(errs...)
	}
}

func TestLife(t *testing.T) {
	roottest.Require(t)
	resourcetest.Imports(t, "resources/posix_sysctl", "posix_sysctl.forward", "net.ipv4.ip_forward")
	resourcetest.Must(t, write(forward, "0")())
	good := is(map[string]string{forward: "1", forwardFile: "net.ipv4.ip_forward = 1"})
	resourcetest.Life{
		Provider:   resourcetest.Provider(types),
		Config:     resourcetest.ExampleFile(t, "resources/posix_sysctl/resource.tf"),
		Address:    "posix_sysctl.forward",
		ImportID:   "net.ipv4.ip_forward",
		Identifier: "key",
		Drifts: map[string]resourcetest.Drift{
			"live":     {Make: write(forward, "0"), Plan: "update value", Check: good},
			"file":     {Make: write(forwardFile, "net.ipv4.ip_forward=0\n"), Plan: "update persisted", Check: good},
			"both":     {Make: func() error { return errors.Join(write(forward, "0")(), write(forwardFile, "# nothing\n")()) }, Plan: "update persisted value", Check: good},
			"two keys": {Make: write(forwardFile, "net.ipv4.ip_forward = 1\nnet.core.somaxconn = 7\n"), Plan: "update persisted", Check: good},
			"removed":  {Make: func() error { return os.Remove(forwardFile) }, Plan: "create", Check: good},
			"comments": {Make: write(forwardFile, "; ours\n\n  -net/ipv4/ip_forward = 1 \n"), Plan: ""},
		},
		Exists: resourcetest.PathExists(forwardFile),
	}.Run(t)
}

// TestSeveralValues applies the second example, which has several values that the kernel
// prints with tabs.
func TestSeveralValues(t *testing.T) {
	roottest.Require(t)
	const buffers, file = "/proc/sys/net/ipv4/tcp_rmem", "/etc/sysctl.d/60-buffers.conf"
	was := read(buffers)
	resourcetest.Life{
		Provider:   resourcetest.Provider(types),
		Config:     resourcetest.ExampleFile(t, "resources/posix_sysctl/resource_buffers.tf"),
		Address:    "posix_sysctl.buffers",
		ImportID:   "net.ipv4.tcp_rmem",
		Identifier: "key",
		Drifts: map[string]resourcetest.Drift{
			"live": {Make: write(buffers, "4096 131072 8388609"), Plan: "update value", Check: is(map[string]string{buffers: "4096 131072 8388608"})},
			"file": {Make: write(file, "net.ipv4.tcp_rmem = 4096\t131072\t1"), Plan: "update persisted", Check: is(map[string]string{file: "net.ipv4.tcp_rmem = 4096 131072 8388608"})},
		},
		Exists: resourcetest.PathExists(file),
	}.Run(t)
	if now := read(buffers); now != was || was == "4096 131072 8388608" {
		t.Errorf("after destroy, the value is %q, want the previous value %q, which must not be the configured one", now, was)
	}
}

func config(key, value, more string) string {
	return fmt.Sprintf("resource \"posix_sysctl\" \"it\" {\n  key = %q\n  value = %q\n  %s\n}\n", key, value, more)
}

func plans(what string) resource.ConfigPlanChecks { return resourcetest.Plans("posix_sysctl.it", what) }

// TestDestroyRestoresValue checks that destroy restores the value from before the create,
// whatever the applies did in between, unless another program changed it.
func TestDestroyRestoresValue(t *testing.T) {
	roottest.Require(t)
	const key, file = "net.core.somaxconn", "/etc/sysctl.d/99-posix-net.core.somaxconn.conf"
	resourcetest.Must(t, write(somaxconn, "111")())
	changes := []resource.TestStep{
		{Config: config(key, "222", ""), Check: resourcetest.Check(is(map[string]string{somaxconn: "222", file: key + " = 222"}))},
		{Config: config(key, "333", ""), ConfigPlanChecks: plans("update persisted value"), Check: resourcetest.Check(is(map[string]string{somaxconn: "333", file: key + " = 333"}))},
		{Config: config("net/core/somaxconn", " 333", ""), ConfigPlanChecks: plans("")},
		{
			Config: config(key, "333", `file = "50-x.conf"`), ConfigPlanChecks: plans("update file"),
			Check: resourcetest.Check(is(map[string]string{"/etc/sysctl.d/50-x.conf": key + " = 333", file: "open " + file + ": no such file or directory"})),
		},
	}
	resourcetest.Steps(t, types, changes...)
	if now := read(somaxconn); now != "111" {
		t.Errorf("after destroy, the value is %s, want 111", now)
	}
	if left, _ := filepath.Glob("/etc/sysctl.d/*x*.conf"); len(left) > 0 {
		t.Errorf("files after destroy: %q, want none", left)
	}
	resourcetest.Steps(t, types, changes[0], resource.TestStep{
		PreConfig: func() { resourcetest.Must(t, write(somaxconn, "444")()) },
		Config:    "# nothing",
	})
	if now := read(somaxconn); now != "444" {
		t.Errorf("after a change by another program, the value is %s, want 444", now)
	}
}

// TestCreateBeforeDestroy checks that a replacement with create_before_destroy keeps the value and the file.
func TestCreateBeforeDestroy(t *testing.T) {
	roottest.Require(t)
	const text = `
resource "terraform_data" "when" {
  input = %q
}
resource "posix_sysctl" "it" {
  key   = "net.core.somaxconn"
  value = "555"
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.when.output]
  }
}
`
	const file = "/etc/sysctl.d/99-posix-net.core.somaxconn.conf"
	here := resourcetest.Check(is(map[string]string{somaxconn: "555", file: "net.core.somaxconn = 555"}))
	resourcetest.Steps(t, types,
		resource.TestStep{Config: fmt.Sprintf(text, "a"), Check: here},
		resource.TestStep{Config: fmt.Sprintf(text, "b"), Check: here, ExpectNonEmptyPlan: false})
}

func TestErrors(t *testing.T) {
	roottest.Require(t)
	mine := "/etc/sysctl.d/99-posix-net.core.somaxconn.conf"
	resourcetest.Must(t, write(somaxconn, "100")())
	for name, tt := range map[string]struct {
		config, want string
		applied      bool // whether the error appears only during the apply
		file         string
	}{
		"one part":        {config: config("panic", "1", ""), want: "is not a valid key: it must have parts"},
		"parent":          {config: config("net/../../self/oom_adj", "1", ""), want: `its parts must not be ".."`},
		"empty parts":     {config: config("net...x", "1", ""), want: "its parts must not be empty"},
		"trailing dot":    {config: config("net.", "1", ""), want: "its parts must not be empty"},
		"asterisk":        {config: config("net.core.*", "1", ""), want: "letters from a to z"},
		"leading dash":    {config: config("-net.core.x", "1", ""), want: "must not start with a dash"},
		"two lines":       {config: config("net.core.somaxconn", "1\n2", ""), want: "must not contain newlines"},
		"file suffix":     {config: config("net.core.somaxconn", "1", `file = "x"`), want: "must end with .conf"},
		"file in parent":  {config: config("net.core.somaxconn", "1", `file = "../x.conf"`), want: "must not start with a dot"},
		"file with slash": {config: config("net.core.somaxconn", "1", `file = "a/x.conf"`), want: "must be the name of a file in /etc/sysctl.d"},
		"no such key":     {config: config("net.netfilter.none", "1", ""), want: "If a kernel module provides the key, load the module first", applied: true},
		"a group":         {config: config("net.core", "1", ""), want: "the key is a group of parameters: use one of the parameters in /proc/sys/net/core"},
		"write-only":      {config: config("net.ipv4.route.flush", "1", ""), want: "permission denied. A write-only key triggers an action and has no value: use posix_command instead"},
		"invalid value":   {config: config("net.core.somaxconn", "many", ""), want: "The value is not valid for this key", applied: true},
		"hexadecimal":     {config: config("net.core.somaxconn", "0x10", ""), want: `prints it as "16". Configure the value as the kernel prints it`, applied: true},
		"read-only":       {config: config("kernel.panic", "77", ""), want: "Read-only file system. Setting a kernel parameter requires root and a writable /proc/sys", applied: true},
		"existing file": {
			config: config("net.core.somaxconn", "1", ""), file: "net.core.somaxconn = 2\n",
			want: `already exists on host local with different settings: "2". To manage it, import it (id "local:net.core.somaxconn")`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.file != "" {
				resourcetest.Must(t, write(mine, tt.file)())
				defer func() { resourcetest.Must(t, os.Remove(mine)) }()
			}
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, !tt.applied, tt.want)
			if _, err := os.Lstat(mine); tt.file == "" && err == nil {
				t.Errorf("%s exists after the error, want no file", mine)
			}
			if now := read(somaxconn); now != "100" {
				t.Errorf("after the error, the value is %s, want 100", now)
			}
		})
	}
}

// TestUnknownKeyInPlan checks that a key that does not exist can be planned, since the same
// apply may load its kernel module.
func TestUnknownKeyInPlan(t *testing.T) {
	roottest.Require(t)
	resourcetest.Steps(t, types, resource.TestStep{Config: config("net.netfilter.none", "1", ""), PlanOnly: true, ExpectNonEmptyPlan: true})
}

// TestFailedWriteRestoresValue checks that the value in the running kernel is restored if
// the file cannot be written.
func TestFailedWriteRestoresValue(t *testing.T) {
	roottest.Require(t)
	const mine = "/etc/sysctl.d/99-posix-net.core.somaxconn.conf"
	resourcetest.Must(t, write(somaxconn, "100")())
	resourcetest.Must(t, os.MkdirAll(mine, 0o755))
	defer func() { resourcetest.Must(t, os.Remove(mine)) }()
	resourcetest.Fails(t, resourcetest.Provider(types), config("net.core.somaxconn", "1", ""), false, "is a directory")
	if now := read(somaxconn); now != "100" {
		t.Errorf("after the error, the value is %s, want 100", now)
	}
}

// TestConformance checks the laws of package conformance.
func TestConformance(t *testing.T) {
	roottest.Require(t)
	build := resourcetest.Provider(types)
	among := func(values ...string) func(*rand.Rand) cty.Value {
		return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
	}
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return build() },
		Reset: func(context.Context) error {
			return errors.Join(os.RemoveAll("/etc/sysctl.d"), write(forward, "0")(), write(somaxconn, "9")(), write("/proc/sys/net/ipv4/conf/lo/forwarding", "0")())
		},
		Runs: tier.Pick(0, 3, 20),
		Types: map[string]conformance.Type{"posix_sysctl": {
			Leave: []string{"host"},
			Values: map[string]func(*rand.Rand) cty.Value{
				"key":   among("net.ipv4.ip_forward", "net/ipv4/ip_forward", "net.core.somaxconn", "net.ipv4.conf.lo.forwarding"),
				"value": among("0", "1", " 1", "1 "),
				"file":  among("99-posix-net.ipv4.ip_forward.conf"),
			},
			Fix:      func(_ *rand.Rand, config map[string]cty.Value) { config["file"] = cty.NullVal(cty.String) },
			ImportID: func(state cty.Value) string { return state.GetAttr("key").AsString() },
			Drift: func(_ context.Context, state cty.Value) error {
				return os.WriteFile(filepath.Join("/etc/sysctl.d", state.GetAttr("file").AsString()), []byte("net.core.somaxconn = 8\n"), 0o600)
			},
		}},
	})
}
