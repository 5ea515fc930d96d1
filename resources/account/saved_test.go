package account_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// shadowHost simulates a host with the tools of the shadow suite, the user web, and the groups users and team.
type shadowHost struct {
	uid, gid, comment, home, shell, hash, days string
}

func (s *shadowHost) run(_ context.Context, cmd host.Command) (host.Result, error) {
	args := remotecmd.Program(cmd)
	options := map[string]*string{"-u": &s.uid, "-c": &s.comment, "-d": &s.home, "-s": &s.shell, "-g": &s.gid}
	switch args[0] {
	case "/bin/sh":
		_, err := fmt.Fprintf(cmd.Stdout, "begin\nme:0\ntool:useradd\ntool:usermod\ntool:groupmod\ntool:chpasswd\n"+
			"passwd:web:x:%s:100:%s:%s:%s\ngroup:users:x:100:\ngroup:team:x:%s:\nhome:web:%s\nshadowed\nshadow:web:%s:%s\nend\n",
			s.uid, s.comment, s.home, s.shell, s.gid, s.uid, s.hash, s.days)
		return host.Result{}, err
	case "chpasswd":
		line, err := io.ReadAll(cmd.Stdin)
		_, s.hash, _ = strings.Cut(strings.TrimSpace(string(line)), ":")
		return host.Result{}, err
	case "usermod", "groupmod":
		for i, arg := range args[:len(args)-1] {
			if field, is := options[arg]; is {
				*field = args[i+1]
			}
			if arg == "-e" {
				s.days = args[i+1]
			}
		}
	}
	return host.Result{}, nil
}

// TestChangedAfterPlan checks that an update does not replace a value that the plan did not show, whether
// or not the update changes that attribute.
func TestChangedAfterPlan(t *testing.T) {
	t.Parallel()
	const hash, otherHash, newHash = "$6$salt$aaaa", "$6$salt$bbbb", "$6$salt$cccc"
	text := cty.StringVal
	before := shadowHost{uid: "1000", gid: "2000", comment: "Web", home: "/home/web", shell: "/bin/sh", hash: hash}
	user := resourcetest.Attrs{
		"name": text("web"), "uid": cty.NumberIntVal(1000), "comment": text("Web"), "home": text("/home/web"), "shell": text("/bin/sh"),
		"expires": text("never"), "locked": cty.False, "password_hash": text(hash),
	}
	group := resourcetest.Attrs{"name": text("team"), "gid": cty.NumberIntVal(2000)}
	for name, tt := range map[string]struct {
		kind   string // user or group; defaults to user
		change resourcetest.Attrs
		edit   func(*shadowHost)
		fails  string // attribute of the error; empty if the apply succeeds
	}{
		"planned value":      {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.shell = "/bin/fish" }, fails: "shell"},
		"as wanted":          {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.shell = "/bin/zsh" }},
		"UID":                {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.uid = "1001" }, fails: "uid"},
		"comment":            {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.comment = "Other" }, fails: "comment"},
		"home":               {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.home = "/srv" }, fails: "home"},
		"expires":            {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.days = "10" }, fails: "expires"},
		"locked":             {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.hash = "!" + hash }, fails: "locked"},
		"password":           {change: resourcetest.Attrs{"shell": text("/bin/zsh")}, edit: func(s *shadowHost) { s.hash = otherHash }, fails: "password_hash"},
		"planned password":   {change: resourcetest.Attrs{"password_hash": text(newHash)}, edit: func(s *shadowHost) { s.hash = otherHash }, fails: "password_hash"},
		"password as wanted": {change: resourcetest.Attrs{"password_hash": text(newHash)}, edit: func(s *shadowHost) { s.hash = newHash }},
		"lock unmanaged":     {change: resourcetest.Attrs{"locked": cty.NullVal(cty.Bool), "shell": text("/bin/zsh")}, edit: func(*shadowHost) {}},
		"GID":                {kind: "group", change: resourcetest.Attrs{"gid": cty.NumberIntVal(2001)}, edit: func(s *shadowHost) { s.gid = "2002" }, fails: "gid"},
		"GID as wanted":      {kind: "group", change: resourcetest.Attrs{"gid": cty.NumberIntVal(2001)}, edit: func(s *shadowHost) { s.gid = "2001" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, set := before, user
			if tt.kind == "" {
				tt.kind = "user"
			} else {
				set = group
			}
			h := memory.New(memory.Config{Name: host.LocalName, Run: fake.run})
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_"+tt.kind)
			o.Apply(set)
			changed := maps.Clone(set)
			maps.Copy(changed, tt.change)
			plan := o.Plan(changed)
			resourcetest.NoErrors(t, plan.Diagnostics)
			tt.edit(&fake)
			edited := fake
			diags := o.ApplyPlan(changed, plan)
			if tt.fails == "" {
				resourcetest.NoErrors(t, diags)
				return
			}
			resourcetest.WantError(t, diags, tt.fails, " on host local was changed after the plan was made", "Create a new plan")
			if fake != edited {
				t.Errorf("the host was changed to %+v, want %+v", fake, edited)
			}
		})
	}
}

// TestSecretChangedAfterPlan checks that an update does not replace a write-only password that was changed
// after the plan was made.
func TestSecretChangedAfterPlan(t *testing.T) {
	t.Parallel()
	secret := func(version, hash string) resourcetest.Attrs {
		return resourcetest.Attrs{
			"name": cty.StringVal("web"), "uid": cty.NumberIntVal(1000), "password_hash_wo": cty.StringVal(hash), "password_hash_wo_version": cty.StringVal(version),
		}
	}
	fake := shadowHost{uid: "1000", gid: "2000", home: "/home/web", shell: "/bin/sh", hash: "$6$salt$aaaa"}
	h := memory.New(memory.Config{Name: host.LocalName, Run: fake.run})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
	o.Apply(secret("1", "$6$salt$aaaa"))
	plan := o.Plan(secret("2", "$6$salt$cccc"))
	resourcetest.NoErrors(t, plan.Diagnostics)
	fake.hash = "$6$salt$bbbb"
	resourcetest.WantError(t, o.ApplyPlan(secret("2", "$6$salt$cccc"), plan), "password_hash_wo", "was changed after the plan was made")
	if fake.hash != "$6$salt$bbbb" {
		t.Errorf("the hash is %q, want $6$salt$bbbb", fake.hash)
	}
	o.Apply(secret("2", "$6$salt$cccc")) // with a refresh and a new plan
	if fake.hash != "$6$salt$cccc" {
		t.Errorf("after a new plan, the hash is %q, want $6$salt$cccc", fake.hash)
	}
}

// TestFailedUpdateKeepsSecret checks that the update after a failed one does not set a write-only password that has no
// new version.
func TestFailedUpdateKeepsSecret(t *testing.T) {
	t.Parallel()
	const hash = "$6$salt$aaaa"
	for name, unlocks := range map[string]bool{"shell": false, "shell and lock": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := shadowHost{uid: "1000", gid: "2000", home: "/home/web", shell: "/bin/sh", hash: hash}
			fails := false
			h := memory.New(memory.Config{Name: host.LocalName, Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
				if fails && remotecmd.Program(cmd)[0] == "usermod" {
					return host.Result{ExitCode: 8}, nil
				}
				return fake.run(ctx, cmd)
			}})
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
			set := resourcetest.Attrs{
				"name": cty.StringVal("web"), "shell": cty.StringVal("/bin/sh"), "password_hash_wo": cty.StringVal(hash), "password_hash_wo_version": cty.StringVal("1"),
			}
			if unlocks {
				fake.hash, set["locked"] = "!"+hash, cty.True
			}
			o.Apply(set)
			delete(set, "locked")
			set["shell"], set["password_hash_wo"] = cty.StringVal("/bin/zsh"), cty.StringVal("$6$salt$cccc")
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			fails = true
			if !o.ApplyPlan(set, plan).HasErrors() {
				t.Error("the update succeeded, although usermod fails")
			}
			fails = false
			o.WantAttrs(resourcetest.Attrs{"password_hash_wo_intact": cty.True})
			o.Apply(set)
			if fake.shell != "/bin/zsh" || fake.hash != hash {
				t.Errorf("the shell is %q and the hash %q, want /bin/zsh and %s", fake.shell, fake.hash, hash)
			}
		})
	}
}

// TestLockNoLongerManaged checks that an update that no longer manages the lock unlocks a managed password. A
// write-only hash without a new version is not set.
func TestLockNoLongerManaged(t *testing.T) {
	t.Parallel()
	const hash = "$6$salt$aaaa"
	for name, managed := range map[string]resourcetest.Attrs{
		"stored":     {"password_hash": cty.StringVal(hash)},
		"write-only": {"password_hash_wo": cty.StringVal(hash), "password_hash_wo_version": cty.StringVal("1")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := shadowHost{uid: "1000", gid: "2000", home: "/home/web", shell: "/bin/sh", hash: "!" + hash}
			h := memory.New(memory.Config{Name: host.LocalName, Run: fake.run})
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
			set := resourcetest.Attrs{"name": cty.StringVal("web"), "locked": cty.True}
			maps.Copy(set, managed)
			o.Apply(set)
			delete(set, "locked")
			if name == "write-only" {
				set["password_hash_wo"] = cty.StringVal("$6$salt$cccc")
				plan := o.Plan(set)
				fake.hash = "!$6$salt$bbbb"
				resourcetest.WantError(t, o.ApplyPlan(set, plan), "password_hash_wo", "was changed after the plan was made")
				fake.hash = "!" + hash
			}
			o.Apply(set)
			if fake.hash != hash {
				t.Errorf("the password field is %q, want %q", fake.hash, hash)
			}
		})
	}
}
