package resources_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestCommandsOverSSH does on a machine behind another what the tests of commands,
// of looking things up and of tunnels do here.
func TestCommandsOverSSH(t *testing.T) {
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	gate := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	inner := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	at := func(s *sshdtest.Server, jump ...string) attrs {
		set := attrs{
			"address": str(s.Host()), "port": cty.NumberIntVal(int64(s.Port())), "host_key": words(ssh.FingerprintSHA256(s.HostKey())),
		}
		if len(jump) > 0 {
			set["proxy_jump"] = words(jump...)
		}
		return set
	}
	f := newSSH(t, attrs{
		"user": str(me.Name), "private_key_path": str(key.File(t, "")), "ssh_config": str("none"), "default_host": str("web"),
	}, map[string]attrs{"gate": at(gate), "web": at(inner, "gate")})
	dir := tempDir(t)

	c := counter{newObject(t, f, "posix_command"), dir}
	set := c.set(attrs{"environment": texts("V", "it's $V"), "triggers": texts("a", "1"), "absent_exit_codes": numbers(1)})
	c.apply(set)
	c.wantRan("create it's $V")
	c.wantAttrs(attrs{"host": str("web"), "stdout": str("made"), "observed": str("one")})
	write(t, c.path("thing"), "else\n", 0o600)
	c.refresh()
	if got := replacedFor(c.plan(set).RequiresReplace); got != "observed" {
		t.Errorf("drift is seen in %q", got)
	}
	set["update"] = str("cat >>log; echo $W >>log; " + updates)
	set["stdin_wo"], set["stdin_wo_version"] = str("input\n"), str("1")
	set["environment_wo"], set["environment_wo_version"] = texts("W", "word"), str("1")
	c.apply(set)
	c.wantRan("input", "word", "update it's $V")
	must(t, os.Remove(c.path("thing")))
	if c.refresh(); !c.state.IsNull() {
		t.Error("what is gone is in state")
	}

	// Failures are those of here, and what a command has started ends with it.
	for name, tt := range map[string]struct {
		more      attrs
		attribute string
		words     []string
		tainted   bool
	}{
		"exit code":    {attrs{"create": str("echo \"no room, $S\" >&2; exit 7"), "sensitive_environment": texts("S", "hunter2")}, "create", []string{"on host web ended with exit code 7", "no room, (sensitive value)"}, true},
		"signal":       {attrs{"create": str("kill -TERM $$")}, "create", []string{"by signal TERM"}, true},
		"too slow":     {attrs{"create": str("(sleep 3; touch late) & sleep 60"), "timeout": str("2s")}, "timeout", []string{"on host web did not end within 2s"}, true},
		"no directory": {attrs{"working_directory": str(c.path("absent"))}, "", []string{c.path("absent")}, false},
	} {
		o := counter{newObject(t, f, "posix_command"), dir}
		set := o.set(tt.more)
		wantError(t, o.applyPlan(set, o.plan(set)), tt.attribute, tt.words...)
		if o.tainted != tt.tainted {
			t.Errorf("%s: tainted: %t", name, o.tainted)
		}
	}
	q := newData(t, f, "posix_command")
	fine(t, q.read(attrs{"command": str("sleep 4; ls"), "working_directory": str(dir)}))
	if text := q.result.GetAttr("stdout").AsString(); strings.Contains(text, "late") {
		t.Errorf("what was killed goes on: %s", text)
	}

	// What is looked up, and what is had for a run.
	must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("hello\n"), 0o600), os.Symlink("file", filepath.Join(dir, "link")))
	q = newData(t, f, "posix_file")
	fine(t, q.read(attrs{"path": str(filepath.Join(dir, "link"))}))
	q.wantAttrs(attrs{"content": str("hello\n"), "sha256": str(helloSum), "mode": str("0600"), "host": str("web")})
	q = newEphemeral(t, f, "posix_file")
	fine(t, q.open(attrs{"path": str(filepath.Join(dir, "file"))}))
	q.wantAttrs(attrs{"content": str("hello\n")})
	q = newData(t, f, "posix_host")
	fine(t, q.read(nil))
	name, err := os.Hostname()
	must(t, err)
	q.wantAttrs(attrs{"host": str("web"), "hostname": str(name), "user": str(me.Name)})

	// Tunnels, many at once.
	for _, address := range []attrs{to(server(t, "tcp", "127.0.0.1:0", echo)), to(server(t, "unix", filepath.Join(dir, "socket"), echo))} {
		q := newEphemeral(t, f, "posix_tunnel")
		fine(t, q.open(address))
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				text := strings.Repeat(fmt.Sprintf("%d,", i), 20_000)
				if got, err := ask(q.address(), text); err != nil || got != text {
					t.Errorf("%d bytes came back of %d (%v)", len(got), len(text), err)
				}
			})
		}
		all.Wait()
		if diags := q.close(); len(diags) > 0 {
			t.Errorf("closing: %v", diags)
		}
		if _, err := ask(q.address(), "x"); err == nil {
			t.Error("it still listens")
		}
	}
	q = newEphemeral(t, f, "posix_tunnel")
	wantError(t, q.open(attrs{"target_socket": str(filepath.Join(dir, "absent"))}), "", "connect to web:"+filepath.Join(dir, "absent"), "check = false")
	for name, s := range map[string]*sshdtest.Server{"gate": gate, "web": inner} {
		if n := s.Connections(); n != 1 {
			t.Errorf("%d connections to %s, want 1", n, name)
		}
	}

	// Where the connection breaks while a command runs, what it may have made is kept.
	o := counter{newObject(t, f, "posix_command"), dir}
	set = o.set(attrs{"create": str("echo begun >>log; sleep 60")})
	plan := o.plan(set)
	must(t, os.WriteFile(filepath.Join(dir, "log"), nil, 0o600))
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
	diags := o.applyPlan(set, plan)
	<-killed
	wantError(t, diags, "", "the command create did not come to its end as far as is known", "web")
	if !o.tainted {
		t.Errorf("what may have been made is forgotten: %v", diags)
	}
}
