package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestCommandsOverSSH uses the resource, data sources and an ephemeral resource on a host
// behind a jump host.
func TestCommandsOverSSH(t *testing.T) {
	tier.CI(t)
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	gate := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	inner := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	at := func(s *sshdtest.Server, jump ...string) attrs {
		set := attrs{
			"address": str(s.Host()), "port": cty.NumberIntVal(int64(s.Port())), "host_key": list(ssh.FingerprintSHA256(s.HostKey())),
		}
		if len(jump) > 0 {
			set["proxy_jump"] = list(jump...)
		}
		return set
	}
	f := resourcetest.NewFleet(t, resourcetest.Provider(types), attrs{
		"user": str(me.Name), "private_key_path": str(key.File(t, "")), "ssh_config": str("none"), "default_host": str("web"),
	}, map[string]attrs{"gate": at(gate), "web": at(inner, "gate")})
	dir := resourcetest.TempDir(t)

	c := counter{resourcetest.NewObject(t, f, "posix_command"), dir}
	set := c.set(attrs{"environment": texts("V", "it's $V"), "triggers": texts("a", "1"), "absent_exit_codes": numbers(1)})
	c.Apply(set)
	c.wantRan("create it's $V")
	c.WantAttrs(attrs{"host": str("web"), "stdout": str("made"), "observed": str("one")})
	resourcetest.Write(t, c.path("thing"), "else\n", 0o600)
	c.Refresh()
	if got := replacedFor(c.Plan(set).RequiresReplace); got != "observed" {
		t.Errorf("the object is replaced because of %q, want observed", got)
	}
	set["update"] = str("cat >>log; echo $W >>log; " + updates)
	set["stdin_wo"], set["stdin_wo_version"] = str("input\n"), str("1")
	set["environment_wo"], set["environment_wo_version"] = texts("W", "word"), str("1")
	c.Apply(set)
	c.wantRan("input", "word", "update it's $V")
	resourcetest.Must(t, os.Remove(c.path("thing")))
	if c.Refresh(); !c.State.IsNull() {
		t.Error("an object that was removed is in the state")
	}

	// Failures are reported as on the local host, and the processes of a command end with the command.
	for name, tt := range map[string]struct {
		more      attrs
		attribute string
		want      []string
		tainted   bool
	}{
		"exit code":         {attrs{"create": str("echo \"no room, $S\" >&2; exit 7"), "sensitive_environment": texts("S", "hunter2")}, "create", []string{"on host web ended with exit code 7", "no room, (sensitive value)"}, true},
		"signal":            {attrs{"create": str("kill -TERM $$")}, "create", []string{"by signal TERM"}, true},
		"timeout":           {attrs{"create": str("(while echo >>late; do sleep 0.1; done) & sleep 60"), "timeout": str("5s")}, "timeout", []string{"on host web did not end within 5s"}, true},
		"missing directory": {attrs{"working_directory": str(c.path("absent"))}, "", []string{c.path("absent")}, false},
	} {
		o := counter{resourcetest.NewObject(t, f, "posix_command"), dir}
		set := o.set(tt.more)
		resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), tt.attribute, tt.want...)
		if o.Tainted != tt.tainted {
			t.Errorf("%s: tainted: %t, want %t", name, o.Tainted, tt.tainted)
		}
	}
	q := resourcetest.NewData(t, f, "posix_command")
	// The processes of the killed command no longer write to the file.
	resourcetest.NoErrors(t, q.Read(attrs{
		"command":           str(`touch late; size=; until [ "$size" = "$(wc -c <late)" ]; do size=$(wc -c <late); sleep 1; done`),
		"working_directory": str(dir), "timeout": str("1m"),
	}))

	// Other data sources, and an ephemeral resource.
	resourcetest.Must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("hello\n"), 0o600), os.Symlink("file", filepath.Join(dir, "link")))
	q = resourcetest.NewData(t, f, "posix_file")
	resourcetest.NoErrors(t, q.Read(attrs{"path": str(filepath.Join(dir, "link"))}))
	q.WantAttrs(attrs{"content": str("hello\n"), "sha256": str("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"), "mode": str("0600"), "host": str("web")})
	q = resourcetest.NewEphemeral(t, f, "posix_file")
	resourcetest.NoErrors(t, q.Open(attrs{"path": str(filepath.Join(dir, "file"))}))
	q.WantAttrs(attrs{"content": str("hello\n")})
	q = resourcetest.NewData(t, f, "posix_host")
	resourcetest.NoErrors(t, q.Read(nil))
	name, err := os.Hostname()
	resourcetest.Must(t, err)
	q.WantAttrs(attrs{"host": str("web"), "hostname": str(name), "user": str(me.Name)})

	for name, s := range map[string]*sshdtest.Server{"gate": gate, "web": inner} {
		if n := s.Connections(); n != 1 {
			t.Errorf("%d connections to %s, want 1", n, name)
		}
	}

	// After a lost connection during create, the object is in the state, tainted.
	o := counter{resourcetest.NewObject(t, f, "posix_command"), dir}
	set = o.set(attrs{"create": str("echo begun >>log; sleep 60")})
	plan := o.Plan(set)
	resourcetest.Must(t, os.WriteFile(filepath.Join(dir, "log"), nil, 0o600))
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for range 500 {
			if text, err := os.ReadFile(filepath.Join(dir, "log")); err == nil && len(text) > 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		inner.Kill()
	}()
	diags := o.ApplyPlan(set, plan)
	<-killed
	resourcetest.WantError(t, diags, "", "the result of the command create is lost", "may have run on host web", "is unknown")
	if n := strings.Count(diags.Error(), "is unknown"); n != 1 {
		t.Errorf("the error has \"is unknown\" %d times, want 1: %v", n, diags)
	}
	if !o.Tainted {
		t.Errorf("an object that may exist is not tainted: %v", diags)
	}
}

func list(elements ...string) cty.Value {
	values := make([]cty.Value, len(elements))
	for i, e := range elements {
		values[i] = str(e)
	}
	return cty.ListVal(values)
}
