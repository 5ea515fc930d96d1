package account_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/account"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// standIns are the texts of scripts that replace the tools. $name is the last argument. They keep the accounts
// in the file $KEPT/accounts, in the format of the output of the read script.
var standIns = map[string]string{
	"groupadd": `echo "group:$name:x:4242:" >>"$KEPT/accounts"`,
	"gpasswd":  `sed -i "s/^\(group:$name:x:4242:\).*/\1$2/" "$KEPT/accounts"`,
	"useradd": `gid=4242
while [ $# -gt 1 ]; do
	case $1 in
	-g) gid=100 ;;
	-G) sed -i "s/^\(group:$2:.*\)/\1,$name/" "$KEPT/accounts" ;;
	esac
	shift
done
echo "passwd:$name:x:4242:$gid::/home/$name:/bin/sh" >>"$KEPT/accounts"
echo "shadow:$name:!:" >>"$KEPT/accounts"`,
	"usermod": `while [ $# -gt 1 ]; do
	case $1 in
	-c) sed -i "s/^\(passwd:$name:x:[^:]*:[^:]*:\)[^:]*/\1$2/" "$KEPT/accounts" ;;
	*) exit 99 ;; # no test needs other options
	esac
	shift 2
done`,
	"userdel":  `sed -i "/^passwd:$name:/d; /^shadow:$name:/d; s/^\(group:.*\),$name\$/\1/" "$KEPT/accounts"`,
	"groupdel": `sed -i "/^group:$name:/d" "$KEPT/accounts"`,
	"addgroup": `if [ $# = 2 ]; then
	sed -i "s/^\(group:$name:.*\)/\1,$1/" "$KEPT/accounts"
else
	echo "group:$name:x:4242:" >>"$KEPT/accounts"
fi`,
	"adduser": `echo "passwd:$name:x:4242:4242::/home/$name:/bin/sh" >>"$KEPT/accounts"
echo "shadow:$name:!:" >>"$KEPT/accounts"`,
	"delgroup": `sed -i "/^group:$name:/d" "$KEPT/accounts"`,
	"chpasswd": `IFS=: read -r name field
sed -i "s|^\(shadow:$name:\)[^:]*|\1$field|" "$KEPT/accounts"`,
}

// standInBegin runs before each of the standIns, and standInEnd after it. The tool that the file await names waits,
// when it is done, until the connection is lost.
const (
	standInBegin = `#!/bin/sh
tool=${0##*/}
echo "$tool $*" >>"$KEPT/calls"
if [ -e "$KEPT/fail.$tool" ]; then mv "$KEPT/fail.$tool" "$KEPT/failed"; . "$KEPT/failed"; fi
for name; do :; done
`
	standInEnd = `
if [ -e "$KEPT/await" ] && [ "$(cat "$KEPT/await")" = "$tool" ]; then
	mv "$KEPT/await" "$KEPT/ended"
	until [ -e "$KEPT/lost" ]; do sleep 0.01; done
	echo noise
	echo noise >&2
fi
exit 0
`
)

// Tools that the read script of a host prints.
const (
	shadowTools  = "tool:useradd\ntool:usermod\ntool:groupadd\ntool:gpasswd\ntool:chpasswd\n"
	busyboxTools = "tool:adduser\ntool:chpasswd\ntool:busybox\n"
)

// standInHost answers the read script from the file accounts, and runs other programs with the directory of the
// stand-ins first in PATH.
type standInHost struct {
	dir, tools string
	orphan     *exec.Cmd // the program that ran when the connection was lost
}

func newStandInHost(t *testing.T, tools string) *standInHost {
	t.Helper()
	h := &standInHost{dir: resourcetest.TempDir(t), tools: tools}
	for name, text := range standIns {
		h.write(t, name, standInBegin+text+standInEnd)
	}
	h.write(t, "accounts", "group:users:x:100:\ngroup:ops:x:101:\n")
	return h
}

func (h *standInHost) write(t *testing.T, name, text string) {
	t.Helper()
	resourcetest.Write(t, filepath.Join(h.dir, name), text, 0o755)
}

// calls returns the names of the tools that ran.
func (h *standInHost) calls(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, "calls"))
	resourcetest.Must(t, err)
	var names []string
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		names = append(names, name)
	}
	return names
}

func (h *standInHost) host() host.Host {
	return memory.New(memory.Config{Name: host.LocalName, Run: h.run})
}

func (h *standInHost) run(_ context.Context, cmd host.Command) (host.Result, error) {
	if h.orphan != nil {
		return host.Result{}, host.ErrUnreachable
	}
	if args := remotecmd.Program(cmd); len(args) > 2 && strings.HasPrefix(args[2], "database=") {
		accounts, err := os.ReadFile(filepath.Join(h.dir, "accounts"))
		_, writeErr := io.WriteString(cmd.Stdout, "begin\nme:0\n"+h.tools+string(accounts)+"shadowed\nend\n")
		return host.Result{}, errors.Join(err, writeErr)
	}
	c := exec.Command(cmd.Args[0], cmd.Args[1:]...) // outlives the connection
	c.Env = append(os.Environ(), "PATH="+h.dir+":"+os.Getenv("PATH"), "KEPT="+h.dir)
	c.Stdin, c.Stdout, c.Stderr = cmd.Stdin, cmd.Stdout, cmd.Stderr
	if _, err := os.Stat(filepath.Join(h.dir, "await")); err == nil {
		return host.Result{}, h.lose(c)
	}
	err := c.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		err = nil
	}
	return host.Result{ExitCode: c.ProcessState.ExitCode()}, err
}

// lose starts a program, breaks the connection when the awaited tool is done, and returns host.ErrLost.
func (h *standInHost) lose(c *exec.Cmd) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	c.Stdout, c.Stderr = write, write
	err = c.Start()
	_ = write.Close() // the program has a copy of the descriptor
	if err != nil {
		return err
	}
	h.orphan = c
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(h.dir, "ended")); err == nil {
			return errors.Join(host.ErrLost, read.Close(), os.WriteFile(filepath.Join(h.dir, "lost"), nil, 0o600))
		}
	}
	return errors.New("the awaited tool has not ended after one minute")
}

// TestLostCreate checks that a create is completed on the host if the connection is lost after the tool that adds
// the account has run, and that the next create adopts the account.
func TestLostCreate(t *testing.T) {
	user := func(ctx context.Context, h host.Host) error {
		u := &account.User{Name: "web", Groups: []string{"users"}, PasswordHash: new(hashOne), Locked: new(true)}
		_, err := u.Create(ctx, resourcetest.Scope(t, h))
		return err
	}
	group := func(ctx context.Context, h host.Host) error {
		_, err := (&account.Group{Name: "web", Members: []string{"al", "bo"}}).Create(ctx, resourcetest.Scope(t, h))
		return err
	}
	for name, tt := range map[string]struct {
		tools  string
		create func(context.Context, host.Host) error
		after  string
		calls  []string
	}{
		"user":             {shadowTools, user, "useradd", []string{"useradd", "chpasswd"}},
		"group":            {shadowTools, group, "groupadd", []string{"groupadd", "gpasswd"}},
		"user of busybox":  {busyboxTools, user, "adduser", []string{"addgroup", "adduser", "addgroup", "chpasswd"}},
		"group of busybox": {busyboxTools, group, "addgroup", []string{"addgroup", "addgroup", "addgroup"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newStandInHost(t, tt.tools)
			h.write(t, "await", tt.after)
			if err := tt.create(t.Context(), h.host()); !errors.Is(err, host.ErrLost) {
				t.Fatalf("the error of the lost connection is %v, want %v", err, host.ErrLost)
			}
			_ = h.orphan.Wait() // the next create shows its result
			h.orphan = nil
			if err := tt.create(t.Context(), h.host()); err != nil {
				t.Errorf("the create after the lost connection failed: %v", err)
			}
			if calls := h.calls(t); !slices.Equal(calls, tt.calls) {
				t.Errorf("the tools that ran are %q, want %q", calls, tt.calls)
			}
		})
	}
}

// TestCommandFaults breaks the connection, fills the disk, or kills the provider or its client, at each command for an
// account.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	texts := func(all ...string) cty.Value {
		values := make([]cty.Value, len(all))
		for i, text := range all {
			values[i] = cty.StringVal(text)
		}
		return cty.SetVal(values)
	}
	for kind, tt := range map[string]struct{ create, changed resourcetest.Attrs }{
		"user":  {resourcetest.Attrs{"group": cty.StringVal("users"), "groups": texts("ops"), "create_home": cty.False}, resourcetest.Attrs{"comment": cty.StringVal("b")}},
		"group": {resourcetest.Attrs{"members": texts("al", "bo")}, resourcetest.Attrs{"members": texts("al")}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			tt.create["name"] = cty.StringVal("web")
			changed := maps.Clone(tt.create)
			maps.Copy(changed, tt.changed)
			resourcetest.CommandFaults{
				Types: func() runtime.Definition {
					return runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"user": account.UserResource(), "group": account.GroupResource()}}
				},
				TypeName: "posix_" + kind, Create: tt.create, Changed: changed,
				Host: func(t *testing.T) (memory.Config, func() string) {
					t.Helper()
					h := newStandInHost(t, shadowTools)
					return memory.Config{Name: "town", Run: h.run}, func() string {
						text, err := os.ReadFile(filepath.Join(h.dir, "accounts"))
						resourcetest.Must(t, err)
						return string(text)
					}
				},
			}.Run(t)
		})
	}
}

// TestUnsentPassword checks that a create adds no user if the provider is killed before it has sent the password.
func TestUnsentPassword(t *testing.T) {
	h := newStandInHost(t, shadowTools)
	unsent := memory.New(memory.Config{Name: host.LocalName, Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
		cmd.Stdin = strings.NewReader("")
		return h.run(ctx, cmd)
	}})
	user, err := (&account.User{Name: "web", PasswordHash: new(hashOne)}).Create(t.Context(), resourcetest.Scope(t, unsent))
	if _, statErr := os.Stat(filepath.Join(h.dir, "calls")); err == nil || user != nil || !errors.Is(statErr, os.ErrNotExist) {
		t.Errorf("the create returned a user: %t, and %v, want only an error; the stat of calls returned %v, want %v", user != nil, err, statErr, os.ErrNotExist)
	}
}

// TestFailedStep checks the error of a create in which a tool fails once, and the tools that the create runs.
func TestFailedStep(t *testing.T) {
	const locked = "echo 'it cannot lock /etc/group; try again later.' >&2; exit 1"
	user := &account.User{Name: "web", Group: new("users"), Groups: []string{"ops"}, PasswordHash: new(hashOne)}
	group := &account.Group{Name: "web", GID: new(int64(4242)), Members: []string{"al", "bo"}}
	for name, tt := range map[string]struct {
		tools string
		user  bool
		fails string // the tool that fails
		how   string // script that makes it fail
		want  string // end of the error; empty if the create succeeds
		added bool
		calls []string
	}{
		"lock of the group":    {shadowTools, false, "groupadd", locked, "", true, []string{"groupadd", "groupadd", "gpasswd"}},
		"lock of the members":  {shadowTools, false, "gpasswd", locked, "", true, []string{"groupadd", "gpasswd", "gpasswd"}},
		"lock of the password": {shadowTools, true, "chpasswd", locked, "", true, []string{"useradd", "chpasswd", "chpasswd"}},
		"no member": {
			shadowTools, false, "gpasswd", "echo out; echo 'no user al' >&2; exit 3",
			"gpasswd -M al,bo web on host local ended with exit code 3: out\nno user al. Create the users first, for example with posix_user, and reference their names here",
			true,
			[]string{"groupadd", "gpasswd"},
		},
		"GID in use": {
			shadowTools, false, "groupadd", "exit 4",
			"groupadd -g 4242 web on host local ended with exit code 4 and no output. Choose another GID, or leave gid out to use a free GID",
			false,
			[]string{"groupadd"},
		},
		"no group": {
			shadowTools, true, "useradd", "echo 'no group ops' >&2; exit 6",
			"useradd -g users -G ops -M web on host local ended with exit code 6: no group ops. Create the group first, for example with posix_group, and reference its name here",
			false,
			[]string{"useradd"},
		},
		"no program": {
			shadowTools, true, "chpasswd", "exit 127",
			"host local has no program chpasswd. Install the package shadow on the host (passwd on Debian, shadow-utils on Fedora)",
			true,
			[]string{"useradd", "chpasswd"},
		},
		"no group on busybox": {
			busyboxTools, true, "addgroup", "echo 'unknown group ops' >&2; exit 1",
			"addgroup web ops on host local ended with exit code 1: unknown group ops. Create the group first, for example with posix_group, and reference its name here",
			true,
			[]string{"adduser", "addgroup"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newStandInHost(t, tt.tools)
			h.write(t, "fail."+tt.fails, tt.how)
			scope := resourcetest.Scope(t, h.host())
			var added bool
			var err error
			if tt.user {
				var out *account.UserOutput
				out, err = user.Create(t.Context(), scope)
				added = out != nil
			} else {
				var out *account.GroupOutput
				out, err = group.Create(t.Context(), scope)
				added = out != nil
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
				t.Errorf("the error is %v, want an error that ends with %q, or none if that is empty", err, tt.want)
			}
			if calls := h.calls(t); added != tt.added || !slices.Equal(calls, tt.calls) {
				t.Errorf("the account is in the state: %t, want %t; the tools that ran are %q, want %q", added, tt.added, calls, tt.calls)
			}
		})
	}
}

// TestFailedUserKeepsNoGroup checks that a create deletes the group that it has made on a host with busybox if the
// user cannot be added.
func TestFailedUserKeepsNoGroup(t *testing.T) {
	h := newStandInHost(t, busyboxTools)
	before, err := os.ReadFile(filepath.Join(h.dir, "accounts"))
	resourcetest.Must(t, err)
	h.write(t, "fail.adduser", "echo 'no space' >&2; exit 1")
	if out, err := (&account.User{Name: "web"}).Create(t.Context(), resourcetest.Scope(t, h.host())); out != nil || err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("the create returned a user: %t, and %v, want only the error \"no space\"", out != nil, err)
	}
	after, err := os.ReadFile(filepath.Join(h.dir, "accounts"))
	resourcetest.Must(t, err)
	if want := []string{"addgroup", "adduser", "delgroup"}; !slices.Equal(h.calls(t), want) || string(after) != string(before) {
		t.Errorf("the tools that ran are %q, want %q; the accounts are %q, want %q", h.calls(t), want, after, before)
	}
}
