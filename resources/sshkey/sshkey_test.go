package sshkey_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/sshkey"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestMain(m *testing.M) {
	roottest.Main(m, roottest.Options{Packages: []string{"openssh-server"}, PrivateNet: true})
}

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"authorized_key": sshkey.Resource()}}

func run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// home creates a user and returns the home directory.
func home(t *testing.T, name string) string {
	t.Helper()
	run(t, "useradd", "-m", "-s", "/bin/sh", "-p", "*", name)
	return "/home/" + name
}

func write(t *testing.T, user, path, text string) {
	t.Helper()
	run(t, "runuser", "-u", user, "--", "mkdir", "-p", "-m", "700", filepath.Dir(path))
	resourcetest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	run(t, "chown", user+":", path)
}

func public(t *testing.T) (key sshdtest.Key, text string) {
	t.Helper()
	key = sshdtest.NewKey(t)
	return key, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
}

// is returns a function that checks the text of authorized_keys, the owner, group and mode of the file and its
// directory, and that the directory has no other file.
func is(user, want string) func() error {
	return func() error {
		file := "/home/" + user + "/.ssh/authorized_keys"
		text, err := os.ReadFile(file)
		if string(text) != want {
			return errors.Join(err, fmt.Errorf("%s has %q, want %q", file, text, want))
		}
		out, err := exec.Command("stat", "-c", "%U %G %A", file, filepath.Dir(file)).CombinedOutput()
		if want := fmt.Sprintf("%s %[1]s -rw-------\n%[1]s %[1]s drwx------\n", user); string(out) != want {
			return errors.Join(err, fmt.Errorf("%s and its directory are %q, want %q", file, out, want))
		}
		left, err := os.ReadDir(filepath.Dir(file))
		if len(left) != 1 {
			err = errors.Join(err, fmt.Errorf("the directory has %v, want one file", left))
		}
		return err
	}
}

func fingerprint(t *testing.T, text string) string {
	t.Helper()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text))
	resourcetest.Must(t, err)
	return ssh.FingerprintSHA256(key)
}

func TestLife(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	const user = "deploy"
	dir := home(t, user) + "/.ssh"
	file := dir + "/authorized_keys"
	example := resourcetest.ExampleFile(t, "resources/posix_authorized_key/resource.tf")
	text := func(attribute string, n int) string {
		return strings.Split(strings.Split(example, attribute)[n], `"`)[1]
	}
	alice, backup := text("key  = ", 1), text("key  = ", 2)
	id := user + "/" + fingerprint(t, alice)
	resourcetest.Imports(t, "resources/posix_authorized_key", "posix_authorized_key.alice", id)
	const before = "# theirs\r\n\xff no newline"
	write(t, user, file, before)
	second := `restrict,from="192.0.2.0/24",command="/usr/bin/rrsync -ro /srv" ` + backup
	whole := before + "\n" + alice + "\n" + second
	ok := func() error { // the order of the two resources may differ
		if is(user, before+"\n"+second+"\n"+alice)() == nil {
			return nil
		}
		return is(user, whole)()
	}
	// again checks that the key was added, and restores the file, because the repair keeps the other changes.
	again := func() error {
		text, err := os.ReadFile(file)
		if !strings.Contains("\n"+string(text)+"\n", "\n"+alice+"\n") {
			return fmt.Errorf("%s has %q, want a line with the key", file, text)
		}
		return errors.Join(err, os.WriteFile(file, []byte(whole), 0o600), is(user, whole)())
	}
	change := func(from, to string) func() error {
		return func() error {
			text, err := os.ReadFile(file)
			if !strings.Contains(string(text), from) {
				return fmt.Errorf("%s has %q, want a text with %q", file, text, from)
			}
			return errors.Join(err, os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
		}
	}
	resourcetest.Life{
		Provider:   resourcetest.Provider(types),
		Config:     example,
		Address:    "posix_authorized_key.alice",
		ImportID:   id,
		Identifier: "fingerprint",
		Drifts: map[string]resourcetest.Drift{
			"comment":          {Make: change("alice@laptop", "bob"), Plan: "update key", Check: ok},
			"no comment":       {Make: change(" alice@laptop", ""), Plan: "update key", Check: ok},
			"invalid UTF-8":    {Make: change("alice@laptop", "\xff"), Plan: "update key", Check: ok},
			"options":          {Make: change(alice, "no-pty "+alice), Plan: "update options", Check: ok},
			"a blank":          {Make: change(alice, " "+alice), Plan: "update intact", Check: ok},
			"twice":            {Make: change(alice, alice+"\nrestrict "+alice), Plan: "update intact", Check: ok},
			"options on first": {Make: change(alice, "restrict "+alice+"\n"+alice), Plan: "update intact options", Check: ok},
			"commented out":    {Make: change(alice, "#"+alice), Plan: "create", Check: again},
			"mode": {
				Make: func() error { return os.Chmod(file, 0o620) }, Plan: "update intact",
				Others: resourcetest.Changes{"posix_authorized_key.backup": "update intact"}, Check: ok,
			},
			"mode of the directory": {
				Make: func() error { return os.Chmod(dir, 0o702) }, Plan: "update intact",
				Others: resourcetest.Changes{"posix_authorized_key.backup": "update intact"}, Check: ok,
			},
			"more options": {Make: change("restrict,", "restrict,pty,"), Others: resourcetest.Changes{"posix_authorized_key.backup": "update options"}, Check: ok},
			"removed": {
				Make: func() error { return os.RemoveAll(dir) }, Plan: "create", Others: resourcetest.Changes{"posix_authorized_key.backup": "create"},
				Check: again,
			},
		},
		Exists: func() (bool, error) { return false, is(user, before)() },
	}.Run(t)
}

func config(user, key, more string) string {
	return fmt.Sprintf("resource \"posix_authorized_key\" \"it\" {\n  user = %q\n  key = %q\n  %s\n}\n", user, key, more)
}

func plans(what string) resource.ConfigPlanChecks {
	return resourcetest.Plans("posix_authorized_key.it", what)
}

func TestChanges(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	home(t, "changes")
	_, one := public(t)
	_, two := public(t)
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("changes", one, ""), Check: resourcetest.Check(is("changes", one+"\n"))},
		resource.TestStep{Config: config("changes", " "+one+"\n", ""), ConfigPlanChecks: plans("")},
		resource.TestStep{Config: config("changes", one+" c d", ""), ConfigPlanChecks: plans("update key"), Check: resourcetest.Check(is("changes", one+" c d\n"))},
		resource.TestStep{Config: config("changes", one+" c d", `options = ["pty"]`), ConfigPlanChecks: plans("update options"), Check: resourcetest.Check(is("changes", "pty "+one+" c d\n"))},
		resource.TestStep{Config: config("changes", one, `options = ["command=a \"b\""]`), ConfigPlanChecks: plans("update key options"), Check: resourcetest.Check(is("changes", `command="a \"b\"" `+one+"\n"))},
		resource.TestStep{Config: config("changes", two, ""), ConfigPlanChecks: plans("delete create"), Check: resourcetest.Check(is("changes", two+"\n"))},
		// A deleted user has no keys.
		resource.TestStep{PreConfig: func() { run(t, "userdel", "-r", "changes"); home(t, "changes") }, Config: config("changes", two, ""), ConfigPlanChecks: plans("create"), Check: resourcetest.Check(is("changes", two+"\n"))},
		resource.TestStep{Config: config("changes", two, ""), Check: resourcetest.Check(func() error { run(t, "userdel", "-r", "changes"); return nil }), ExpectNonEmptyPlan: true},
	)
}

// TestLinks checks that symbolic links in a home directory do not make root read or write other
// files.
func TestLinks(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	_, key := public(t)
	resourcetest.Must(t, os.MkdirAll("/root/private", 0o700))
	secret := "/root/private/authorized_keys"
	resourcetest.Must(t, os.WriteFile(secret, []byte("secret\n"), 0o600))
	dir := home(t, "mallory")
	p := resourcetest.Provider(types)
	resourcetest.Must(t, os.Symlink("/root/private", dir+"/.ssh"))
	resourcetest.Fails(t, p, config("mallory", key, ""), false, "/home/mallory/.ssh on host local is not a directory. It is neither followed nor replaced")
	resourcetest.Must(t, os.Remove(dir+"/.ssh"))
	run(t, "runuser", "-u", "mallory", "--", "mkdir", dir+"/.ssh")
	resourcetest.Must(t, os.Symlink(secret, dir+"/.ssh/authorized_keys"))
	resourcetest.Fails(t, p, config("mallory", key, ""), false, "/home/mallory/.ssh/authorized_keys on host local is not a regular file")
	resourcetest.Must(t, os.Remove(dir+"/.ssh/authorized_keys"))
	resourcetest.Must(t, os.Mkdir(dir+"/.ssh/authorized_keys", 0o755))
	resourcetest.Fails(t, p, config("mallory", key, ""), false, "is not a regular file")
	resourcetest.Must(t, os.Remove(dir+"/.ssh/authorized_keys"))
	run(t, "chown", "root:", dir+"/.ssh")
	resourcetest.Fails(t, p, config("mallory", key, ""), false, "run chown -R mallory: /home/mallory/.ssh")
	run(t, "rm", "-r", dir+"/.ssh")

	// Links are created and removed many times while the key is created, read and deleted.
	stop := filepath.Join(t.TempDir(), "stop")
	const flip = `cd "$HOME"; mkdir real; while [ ! -e "$1" ]; do ln -sfn /root/private .ssh; rm -f .ssh; mv real .ssh; sleep 0.02; ln -sfn /root/private/authorized_keys .ssh/authorized_keys; rm -f .ssh/authorized_keys; sleep 0.02; mv .ssh real; done`
	resourcetest.Must(t, os.Chmod(filepath.Dir(filepath.Dir(stop)), 0o755))
	resourcetest.Must(t, os.Chmod(filepath.Dir(stop), 0o755))
	attack := exec.CommandContext(t.Context(), "runuser", "-u", "mallory", "--", "env", "HOME="+dir, "sh", "-c", flip, "sh", stop)
	resourcetest.Must(t, attack.Start())
	h, err := local.New()
	resourcetest.Must(t, err)
	scope := resourcetest.Scope(t, h)
	done, failed := 0, 0
	enough := tier.Pick(0, 3, 30)
	for end := time.Now().Add(5 * time.Minute); min(done, failed) < enough && time.Now().Before(end); {
		k := &sshkey.AuthorizedKey{User: "mallory", Key: sshkey.PublicKey(key)}
		if out, err := k.Create(t.Context(), scope); err != nil {
			failed++
		} else if _, err := k.Read(t.Context(), scope, out); err == nil {
			done++
		}
		_ = k.Delete(t.Context(), scope, nil) // fails while a link is in place of the file or its directory
	}
	t.Logf("%d attempts succeeded, %d failed", done, failed)
	if min(done, failed) < enough {
		t.Errorf("%d attempts succeeded and %d failed, want at least %d of each for the test to be valid", done, failed, enough)
	}
	resourcetest.Must(t, os.WriteFile(stop, nil, 0o600))
	resourcetest.Must(t, attack.Wait())
	if text, err := os.ReadFile(secret); string(text) != "secret\n" {
		t.Errorf("the file of root has %q (%v), want the line secret", text, err)
	}
}

// ownHome returns the configuration of a host with the user me, and the path of the authorized_keys file of this user,
// who has the UID of the process and a temporary home directory.
func ownHome(t *testing.T) (config memory.Config, file string) {
	t.Helper()
	here, err := local.New()
	resourcetest.Must(t, err)
	dir := resourcetest.TempDir(t)
	file = filepath.Join(dir, ".ssh", "authorized_keys")
	resourcetest.Must(t, os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("# theirs\n"), 0o600))
	me := host.User{Name: "me", UID: uint32(os.Getuid()), GID: uint32(os.Getgid()), Home: dir}
	return memory.Config{Name: "town", Users: []host.User{me}, Run: here.Run}, file
}

// TestCommandFaults breaks the connection, fills the disk, or kills the provider at each command for a key.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	_, key := public(t)
	set := func(options ...cty.Value) resourcetest.Attrs {
		all := resourcetest.Attrs{"user": cty.StringVal("me"), "key": cty.StringVal(key)}
		if len(options) > 0 {
			all["options"] = cty.ListVal(options)
		}
		return all
	}
	resourcetest.CommandFaults{
		Types: func() runtime.Definition {
			return runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"authorized_key": sshkey.Resource()}}
		},
		TypeName: "posix_authorized_key", Create: set(), Changed: set(cty.StringVal("restrict")),
		Host: func(t *testing.T) (memory.Config, func() string) {
			t.Helper()
			config, file := ownHome(t)
			return config, func() string {
				text, err := os.ReadFile(file)
				resourcetest.Must(t, err)
				return string(text)
			}
		},
	}.Run(t)
}

// TestRunAsWhilePlanning checks that the plan of a create warns if the provider cannot run commands as the user.
func TestRunAsWhilePlanning(t *testing.T) {
	t.Parallel()
	_, key := public(t)
	h := memory.New(memory.Config{
		Name: "town", UID: 1001, Users: []host.User{{Name: "me", UID: 1000, GID: 1000, Home: "/home/me"}},
		Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
			_, err := fmt.Fprintln(cmd.Stderr, "runuser: may not be used by non-root users")
			return host.Result{ExitCode: 1}, err
		},
	})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_authorized_key")
	diags := o.Plan(resourcetest.Attrs{"user": cty.StringVal("me"), "key": cty.StringVal(key)}).Diagnostics
	if len(diags) != 1 || diags.HasErrors() || !strings.Contains(diags[0].Detail, "runuser: may not be used by non-root users. The provider must run as root") {
		t.Errorf("the plan has %v, want one warning that the provider must run as root", diags)
	}
}

// TestReplacedByAnotherType checks that a directory or a link in place of the file, or a link in place of its
// directory, is drift: the key counts as deleted, only its apply fails, and it can be destroyed.
func TestReplacedByAnotherType(t *testing.T) {
	t.Parallel()
	_, key := public(t)
	set := resourcetest.Attrs{"user": cty.StringVal("me"), "key": cty.StringVal(key)}
	for name, replace := range map[string]func(file string) error{
		"file by a directory": func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
		"file by a link":      func(file string) error { return errors.Join(os.Rename(file, file+"2"), os.Symlink(file+"2", file)) },
		"directory by a link": func(file string) error {
			dir := filepath.Dir(file)
			return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, file := ownHome(t)
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, memory.New(config)), "posix_authorized_key")
			o.Apply(set)
			resourcetest.Must(t, replace(file))
			destroyed := *o
			if diags := destroyed.Destroy(); len(diags) != 1 || diags.HasErrors() || !strings.Contains(diags[0].Detail, "It is kept") {
				t.Errorf("the destroy has %v, want one warning with \"It is kept\"", diags)
			}
			o.NextRun()
			if diags := o.Read(); len(diags) != 1 || diags.HasErrors() || !o.State.IsNull() {
				t.Errorf("the read has %v, want one warning; the state is %#v, want null", diags, o.State)
			}
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.WantError(t, o.ApplyPlan(set, plan), "", "It is neither followed nor replaced", "move it away and apply again")
		})
	}
}

// TestLogin logs in to a real sshd with the key.
func TestLogin(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	home(t, "carol")
	key, text := public(t)
	run(t, "ssh-keygen", "-A")
	run(t, "mkdir", "-p", "/run/sshd")
	const address = "127.0.0.1:2222"
	daemon := exec.CommandContext(t.Context(), "/usr/sbin/sshd", "-D", "-e", "-p", "2222", "-o", "ListenAddress=127.0.0.1", "-o", "MaxStartups=100")
	resourcetest.Must(t, daemon.Start())
	defer func() { _ = daemon.Process.Kill(); _ = daemon.Wait() }() // no longer needed
	for range 600 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	login := func(want string) func() error {
		return func() error {
			got, err := answer(address, "carol", key)
			if got != want {
				return errors.Join(err, fmt.Errorf("output of a login: %q, want %q", got, want))
			}
			return nil
		}
	}
	resourcetest.Must(t, login("")())
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("carol", text, ""), Check: resourcetest.Check(login("asked for\n"))},
		resource.TestStep{Config: config("carol", text, `options = ["restrict", "command=echo \"forced  \\\\ \" $SSH_ORIGINAL_COMMAND"]`), Check: resourcetest.Check(login("forced  \\  echo asked for\n"))},
		resource.TestStep{Config: config("carol", text, `options = ["from=192.0.2.1"]`), Check: resourcetest.Check(login(""))},
		// sshd rejects files that other users can write to; they are repaired.
		resource.TestStep{Config: config("carol", text, ""), Check: resourcetest.Check(func() error {
			run(t, "chmod", "777", "/home/carol/.ssh", "/home/carol/.ssh/authorized_keys")
			return login("")()
		}), ExpectNonEmptyPlan: true},
		resource.TestStep{Config: config("carol", text, ""), ConfigPlanChecks: plans("update intact"), Check: resourcetest.Check(login("asked for\n"))},
	)
	resourcetest.Must(t, login("")())

	// Over SSH, a provider that does not run as root must run as the user.
	h, err := sshhost.New(sshhost.Options{
		Name: "carols", Address: "127.0.0.1", Port: 2222, User: "carol", Auth: sshhost.Auth{Keys: []sshhost.Key{{Path: key.File(t, "")}}},
		Trust: sshhost.Trust{Policy: sshhost.Insecure}, ConnectTimeout: time.Minute, MaxSessions: 10,
	})
	resourcetest.Must(t, err)
	defer func() { resourcetest.Must(t, h.Close()) }()
	scope := resourcetest.Scope(t, h)
	write(t, "carol", "/home/carol/.ssh/authorized_keys", text+"\n")
	run(t, "chmod", "700", "/home/carol/.ssh")
	home(t, "dave")
	_, another := public(t)
	k := &sshkey.AuthorizedKey{User: "carol", Key: sshkey.PublicKey(another), Options: nil}
	if out, err := k.Create(t.Context(), scope); err != nil || !out.Intact {
		t.Errorf("create as the user: %+v, error %v, want Intact to be true", out, err)
	}
	resourcetest.Must(t, is("carol", text+"\n"+another+"\n")())
	k.User = "dave"
	if _, err := k.Create(t.Context(), scope); err == nil || !strings.Contains(err.Error(), "The provider must run as root, for example with sudo = {}") {
		t.Errorf("create as another user: error %v, want an error with \"The provider must run as root\"", err)
	}
}

// answer logs in and returns the output of a command, or an empty string if the login fails.
func answer(address, user string, key sshdtest.Key) (string, error) {
	client, err := ssh.Dial("tcp", address, &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, Timeout: 10 * time.Second,
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err != nil {
		return "", err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return "", err
	}
	defer session.Close()
	out, err := session.Output("echo asked for")
	return string(out), err
}

// TestSeveralRuns adds and removes keys of one user in concurrent runs, and checks that
// no key is lost.
func TestSeveralRuns(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	home(t, "many")
	write(t, "many", "/home/many/.ssh/authorized_keys", "# theirs\n")
	runs, keys := tier.Pick(0, 2, 4), tier.Pick(0, 4, 6)
	var all sync.WaitGroup
	each := func(do func(scope *lifecycle.Scope, k *sshkey.AuthorizedKey) error) {
		for range runs {
			h, err := local.New()
			resourcetest.Must(t, err)
			scope := resourcetest.Scope(t, h) // each process has its own scope
			for range keys {
				_, key := public(t)
				all.Go(func() {
					if err := do(scope, &sshkey.AuthorizedKey{User: "many", Key: sshkey.PublicKey(key)}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
	}
	each(func(scope *lifecycle.Scope, k *sshkey.AuthorizedKey) error {
		_, err := k.Create(t.Context(), scope)
		return err
	})
	text, err := os.ReadFile("/home/many/.ssh/authorized_keys")
	if got := strings.Count(string(text), "\nssh-ed25519 "); got != runs*keys || err != nil {
		t.Errorf("authorized_keys has %d keys, want %d (%v)", got, runs*keys, err)
	}
	each(func(scope *lifecycle.Scope, k *sshkey.AuthorizedKey) error {
		if _, err := k.Create(t.Context(), scope); err != nil {
			return err
		}
		return k.Delete(t.Context(), scope, nil)
	})
	resourcetest.Must(t, is("many", string(text))())
}

func TestErrors(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	_, key := public(t)
	home(t, "errors")
	run(t, "useradd", "-M", "homeless")
	write(t, "errors", "/home/errors/.ssh/authorized_keys", "pty "+key+"\n")
	for name, tt := range map[string]struct {
		config, want string
		applied      bool // whether the error appears only during the apply
	}{
		"private":       {config: config("errors", "-----BEGIN OPENSSH PRIVATE KEY-----\nAA\n", ""), want: "this is a private key"},
		"no key":        {config: config("errors", "ssh-ed25519", ""), want: "a public key must have a type and base64"},
		"no base64":     {config: config("errors", "ssh-ed25519 AAA*", ""), want: "a public key must have a type and base64"},
		"truncated":     {config: config("errors", key[:len(key)-24][:28]+"AAAA", ""), want: "the key is incomplete"},
		"another type":  {config: config("errors", "ssh-rsa"+key[11:], ""), want: "the type does not match the base64"},
		"two keys":      {config: config("errors", key+"\n"+key, ""), want: "use one resource for each key"},
		"an option":     {config: config("errors", key, `options = ["no-x"]`), want: "is not an option of sshd"},
		"a user":        {config: config("a:b", key, ""), want: "must be a user name"},
		"other options": {config: config("errors", key, ""), want: `To manage it, import it (id "local:errors/` + fingerprint(t, key)},
		"no user":       {config: config("nobody-else", key, ""), want: `"nobody-else" on host local: the user does not exist. Create the user first`, applied: true},
		"no home":       {config: config("homeless", key, ""), want: "the home directory does not exist: /home/homeless. Create it first", applied: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, !tt.applied, tt.want)
		})
	}
}

func TestImportIDs(t *testing.T) {
	t.Parallel()
	const f = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/+"
	for id, want := range map[string]struct{ host, user, fails string }{
		"bob/" + f:               {user: "bob"},
		"local:bob/" + f:         {host: "local", user: "bob"},
		"root@[::1]:22:bob/" + f: {host: "root@[::1]:22", user: "bob"},
		"bob":                    {fails: "as deploy/SHA256:"},
		"bob/SHA256:AA":          {fails: "as deploy/SHA256:"},
		"/" + f:                  {fails: "use the name"},
		"b b/" + f:               {fails: "must be a user name"},
	} {
		got, err := new(sshkey.AuthorizedKey).ParseImportID(id)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: error %v, want %q", id, err, want.fails)
			}
			continue
		}
		name := ""
		if got.Host != nil {
			name = *got.Host
		}
		if err != nil || name != want.host || got.User != want.user || got.Fingerprint != f {
			t.Errorf("%q: %+v (%v), want %+v", id, got, err, want)
		}
	}
}

// TestHomeDeleted checks that neither a plan nor a destroy fails if the home directory was
// deleted.
func TestHomeDeleted(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	dir := home(t, "leaving")
	_, key := public(t)
	again := func() { run(t, "install", "-d", "-o", "leaving", "-m", "700", dir) }
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("leaving", key, "")},
		resource.TestStep{
			PreConfig: func() { resourcetest.Must(t, os.RemoveAll(dir)) },
			Config:    config("leaving", key, ""), ConfigPlanChecks: plans("create"), ExpectError: resourcetest.WrappedText("the home directory does not exist: /home/leaving. Create it first"),
		},
		resource.TestStep{PreConfig: again, Config: config("leaving", key, ""), Check: resourcetest.Check(is("leaving", key+"\n"))},
		resource.TestStep{PreConfig: func() { resourcetest.Must(t, os.RemoveAll(dir)) }, Config: "# nothing"},
	)
}

// TestCreateBeforeDestroy checks that a replacement with create_before_destroy keeps the key.
func TestCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	home(t, "before")
	_, key := public(t)
	text := func(when string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"when\" {\n  input = %q\n}\n", when) + config("before", key, `lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.when.output]
  }`)
	}
	here := resourcetest.Check(is("before", key+"\n"))
	resourcetest.Steps(t, types, resource.TestStep{Config: text("a"), Check: here}, resource.TestStep{Config: text("b"), Check: here})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	home(t, "conf")
	_, one := public(t)
	_, two := public(t)
	build := resourcetest.Provider(types)
	among := func(values ...string) func(*rand.Rand) cty.Value {
		return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
	}
	const dir = "/home/conf/.ssh"
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return build() },
		Reset:    func(context.Context) error { return os.RemoveAll(dir) },
		Runs:     tier.Pick(0, 2, 10),
		Types: map[string]conformance.Type{"posix_authorized_key": {
			Leave: []string{"host"},
			Values: map[string]func(*rand.Rand) cty.Value{
				"user": among("conf"),
				"key":  among(one, two, one+" c", two+" c\n"),
				"options": func(r *rand.Rand) cty.Value {
					return []cty.Value{cty.ListValEmpty(cty.String), cty.ListVal([]cty.Value{cty.StringVal("pty"), cty.StringVal("from=a b")})}[r.IntN(2)]
				},
			},
			ImportID: func(state cty.Value) string { return "conf/" + state.GetAttr("fingerprint").AsString() },
			Drift: func(_ context.Context, state cty.Value) error {
				text := "restrict " + strings.Join(strings.Fields(state.GetAttr("key").AsString())[:2], " ") + " other\n"
				if err := os.WriteFile(dir+"/authorized_keys", []byte(text), 0o600); !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				return nil
			},
		}},
	})
}
