package hostname_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/hostname"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestMain(m *testing.M) {
	roottest.Main(m, roottest.Options{Starts: append(resourcetest.Systemd, roottest.Options{})})
}

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"hostname": hostname.Resource()}}

// The tests are not parallel, because the test root has a single host name.

const static = "/etc/hostname"

func write(path, text string) func() error {
	return func() error { return os.WriteFile(path, []byte(text), 0o644) }
}

// is returns a function that checks the name in the file and in the kernel.
func is(want string) func() error {
	return func() error {
		text, err := os.ReadFile(static)
		now, errNow := os.Hostname()
		if err == nil && errNow == nil && (string(text) != want+"\n" || now != want) {
			err = fmt.Errorf("%s has %q, and the name is %q, want %q", static, text, now, want)
		}
		return errors.Join(err, errNow)
	}
}

func setLive(name string) func() error { return write("/proc/sys/kernel/hostname", name) }

func TestLife(t *testing.T) {
	roottest.Require(t)
	resourcetest.Imports(t, "resources/posix_hostname", "posix_hostname.this", "local")
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   resourcetest.ExampleFile(t, "resources/posix_hostname/resource.tf"),
		Address:  "posix_hostname.this",
		ImportID: "local", WithHost: "local", Stays: true,
		Drifts: map[string]resourcetest.Drift{
			"file":       {Make: write(static, "other\n"), Plan: "update name", Check: is("web1")},
			"invalid":    {Make: write(static, "no_name \xff\n"), Plan: "update name", Check: is("web1")},
			"live":       {Make: setLive("other"), Plan: "update live_name", Check: is("web1")},
			"both":       {Make: func() error { return errors.Join(write(static, "a")(), setLive("b")()) }, Plan: "update live_name name", Check: is("web1")},
			"file empty": {Make: write(static, "\n"), Plan: "create"},
			"no file":    {Make: func() error { return os.Remove(static) }, Plan: "create", Check: is("web1")},
		},
	}.Run(t)
	if err := is("web1")(); err != nil {
		t.Errorf("after the destroy, %v", err)
	}
}

func config(name string) string {
	return fmt.Sprintf("resource \"posix_hostname\" \"this\" {\n  name = %q\n}\n", name)
}

// TestChange checks that an update changes the name in place and keeps comment lines and the mode
// of the file, and that an update works without the program hostname.
func TestChange(t *testing.T) {
	roottest.Require(t)
	t.Cleanup(func() {
		if err := os.Rename("/usr/bin/hidden", "/usr/bin/hostname"); err != nil {
			t.Error(err)
		}
	})
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{
				Config: config("one"),
				PreConfig: func() {
					if err := errors.Join(write(static, "# ours\n\nold # x")(), os.Chmod(static, 0o640)); err != nil {
						t.Error(err)
					}
				},
			},
			{
				Config: config("two.example.com"),
				PreConfig: func() {
					if err := os.Rename("/usr/bin/hostname", "/usr/bin/hidden"); err != nil {
						t.Error(err)
					}
				},
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{"posix_hostname.this": "update live_name name"}}},
			},
		},
	})
	text, err := os.ReadFile(static)
	info, errStat := os.Stat(static)
	now, errNow := os.Hostname()
	if err := errors.Join(err, errStat, errNow); err != nil {
		t.Fatal(err)
	}
	if string(text) != "# ours\n\ntwo.example.com\n" || info.Mode() != 0o640 || now != "two.example.com" {
		t.Errorf("the file has %q, mode %v, and the name is %q, want \"# ours\\n\\ntwo.example.com\\n\", mode 0640 and two.example.com", text, info.Mode(), now)
	}
}

// TestHostnamectl checks that the program hostname sets the name in the kernel if systemd runs but
// hostnamectl fails or does not set the name.
func TestHostnamectl(t *testing.T) {
	roottest.Require(t)
	const path = "/usr/local/bin/hostnamectl"
	resourcetest.Must(t, os.MkdirAll("/run/systemd/system", 0o755))
	program := func(text string) func() {
		return func() { resourcetest.Must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755)) }
	}
	t.Cleanup(func() { resourcetest.Must(t, errors.Join(os.RemoveAll("/run/systemd"), os.Remove(path))) })
	resourcetest.Must(t, write(static, "first\n")())
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{PreConfig: program("exit 0"), Config: config("second"), Check: resourcetest.Check(is("second"))},
			{PreConfig: program("exit 1"), Config: config("third"), Check: resourcetest.Check(is("third"))},
		},
	})
}

// TestOverSSH sets and repairs the name over SSH.
func TestOverSSH(t *testing.T) {
	roottest.Require(t)
	r := roottest.Start(t, roottest.Options{})
	at := r.Host(t)
	block := fmt.Sprintf("provider \"posix\" {\n  ssh_config = \"none\"\n  hosts = {\n    box = {\n      address = %q\n      port = %d\n"+
		"      user = %q\n      private_key_path = %q\n      known_hosts = [%q]\n    }\n  }\n  default_host = \"box\"\n}\n",
		at.Address, at.Port, at.User, at.KeyFile, strings.TrimSpace(at.KnownHosts))
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{Config: block + config("far")},
			{
				PreConfig:        func() { r.Run(t, "hostname", "other") },
				Config:           block + config("far"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{"posix_hostname.this": "update live_name"}}},
			},
		},
	})
	if now, text := r.Run(t, "hostname"), r.Run(t, "cat", static); now != "far" || text != "far" {
		t.Errorf("the name is %q, and the file has %q, want far", now, text)
	}
}

func TestErrors(t *testing.T) {
	roottest.Require(t)
	for name, tt := range map[string]struct {
		config, want  string
		before, after func() error
	}{
		"empty":      {config: config(""), want: "the name must not be empty"},
		"underscore": {config: config("web_1"), want: "letters from a to z"},
		"last dot":   {config: config("web1."), want: "must not begin or end with a dot"},
		"dash":       {config: config("web.-a"), want: "must not begin or end with a dash"},
		"long":       {config: config(strings.Repeat("a.", 32) + "a"), want: "65 bytes"},
		"long part":  {config: config(strings.Repeat("a", 64)), want: "up to 63"},
		"address":    {config: config("192.0.2.7"), want: "read as an address"},
		"link": {
			config: config("web2"), want: "neither followed nor replaced",
			before: func() error { return errors.Join(os.Remove(static), os.Symlink("/etc/other", static)) },
			after:  func() error { return os.Remove(static) },
		},
		"hostname fails": {
			config: config("web3"), want: "has the new name, but the kernel does not",
			before: func() error { return os.WriteFile("/usr/local/bin/hostname", []byte("#!/bin/sh\nexit 1\n"), 0o755) },
			after:  func() error { return os.Remove("/usr/local/bin/hostname") },
		},
		"hostname without effect": {
			config: config("web4"), want: "another program sets it",
			before: func() error { return os.WriteFile("/usr/local/bin/hostname", []byte("#!/bin/sh\n"), 0o755) },
			after:  func() error { return os.Remove("/usr/local/bin/hostname") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.before != nil {
				resourcetest.Must(t, tt.before())
				defer func() { resourcetest.Must(t, tt.after()) }()
			}
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, tt.before == nil, tt.want)
		})
	}
}
