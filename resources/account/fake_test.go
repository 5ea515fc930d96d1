package account_test

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/account"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// alpine simulates a host with the group users, and at most one user and one group of the same name. Like
// busybox, it deletes the group with the user, even if the group has other members.
type alpine struct {
	user, group string // lines of the output of the read script
	calls       []string
}

func (a *alpine) run(_ context.Context, cmd host.Command) (host.Result, error) {
	args := remotecmd.Program(cmd)
	if args[0] == "/bin/sh" {
		_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:busybox\ngroup:users:x:100:\n"+a.group+a.user+"shadowed\nend\n")
		return host.Result{}, err
	}
	a.calls = append(a.calls, strings.Join(args, " "))
	switch args[0] {
	case "adduser":
		a.user = "passwd:web:x:1000:100::/home/web:/bin/sh\n"
	case "deluser":
		a.user, a.group = "", ""
	case "addgroup":
		if len(args) > 3 {
			a.group = "group:web:x:2000:\n"
		}
	}
	return host.Result{}, nil
}

// TestGroupRestored checks that a group with the user's name and other members is created
// again after busybox deleted it with the user.
func TestGroupRestored(t *testing.T) {
	a := &alpine{group: "group:web:x:2000:al,bo\n"}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.ProviderOn(types, func() (host.Host, error) {
			return memory.New(memory.Config{Name: host.LocalName, Run: a.run}), nil
		})),
		Steps: []resource.TestStep{{Config: one("user", `name = "web"; group = "users"; create_home = false`)}},
	})
	if want := []string{"addgroup -g 2000 web", "addgroup al web", "addgroup bo web"}; len(a.calls) < 2 || !slices.Equal(a.calls[2:], want) {
		t.Errorf("the calls are %q, want %q after the first two", a.calls, want)
	}
}

// TestGroupNotRestored checks that the error has the GID and the members of a group that was deleted with the user and
// cannot be created again.
func TestGroupNotRestored(t *testing.T) {
	t.Parallel()
	a := &alpine{group: "group:web:x:2000:al,bo,web\n"}
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
		result, err := a.run(ctx, cmd)
		if remotecmd.Program(cmd)[0] == "addgroup" {
			a.group = ""
			result.ExitCode = 1
		}
		return result, err
	}})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
	o.Apply(resourcetest.Attrs{"name": cty.StringVal("web"), "group": cty.StringVal("users"), "create_home": cty.False})
	resourcetest.WantError(t, o.DeleteNow(), "", "the user web was deleted on host local, but the group of the same name",
		"create it by hand with the GID 2000 and the members: al, bo")
}

// TestHomeWithMounts checks that a delete with remove_home keeps a home directory below which a file system is
// mounted, or may be, and deletes one that is a mount point itself.
func TestHomeWithMounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mounts string
		exit   int
		want   string
	}{
		"none":            {mounts: "/\n/home/web2\n", want: "userdel -r web"},
		"itself":          {mounts: "/\n/srv/web\n", want: "userdel -r web"},
		"below":           {mounts: "/\n/srv/web/data\n", want: "userdel web"},
		"cannot be known": {exit: 1, want: "userdel web"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHomeDelete(t, "//\n/srv/web\n//\n"+tt.mounts, tt.exit, "", tt.want) // the directory is below a link
		})
	}
}

// TestHomeOfOthers checks that a delete with remove_home keeps a home directory that is also that of another
// user, or contains that of another user.
func TestHomeOfOthers(t *testing.T) {
	t.Parallel()
	for other, want := range map[string]string{"/home/web": "userdel web", "/home/web/sub": "userdel web", "/home/web2": "userdel -r web"} {
		t.Run(other, func(t *testing.T) {
			t.Parallel()
			checkHomeDelete(t, "//\n/home/web\n//\n/\n", 0, "passwd:other:x:1001:100::"+other+":/bin/sh\n", want)
		})
	}
}

// checkHomeDelete deletes the user web with remove_home, and checks the command that deletes the user, and that there is
// a warning if the home directory is kept. mounts and exit are the results of the script that lists mount points, and
// others are the other users.
func checkHomeDelete(t *testing.T, mounts string, exit int, others, want string) {
	t.Helper()
	change := ""
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		args := remotecmd.Program(cmd)
		switch {
		case args[0] != "/bin/sh":
			change = strings.Join(args, " ")
			return host.Result{}, nil
		case len(args) == 5: // the script that lists mount points
			_, err := io.WriteString(cmd.Stdout, mounts)
			return host.Result{ExitCode: exit}, err
		}
		_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:useradd\ngroup:users:x:100:\npasswd:web:x:1000:100::/home/web:/bin/sh\n"+
			others+"home:web:1000\nshadowed\nend\n")
		return host.Result{}, err
	}})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
	o.Apply(resourcetest.Attrs{"name": cty.StringVal("web"), "remove_home": cty.True})
	diags := o.DeleteNow()
	resourcetest.NoErrors(t, diags)
	if kept := len(diags) > 0; change != want || kept != (want == "userdel web") {
		t.Errorf("the change is %q, want %q; the diagnostics are %v, want a warning: %t", change, want, diags, want == "userdel web")
	}
}

// TestMoveHomeWithMounts checks that a home directory is moved only if no file system is mounted below it.
func TestMoveHomeWithMounts(t *testing.T) {
	t.Parallel()
	mounts, home, change := "/home/mate/data\n", "/home/mate", ""
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		args := remotecmd.Program(cmd)
		switch {
		case args[0] == "usermod":
			home, change = "/srv/mate", strings.Join(args, " ")
			return host.Result{}, nil
		case args[0] != "/bin/sh":
			return host.Result{}, nil
		case len(args) == 5: // the script that lists mount points
			_, err := io.WriteString(cmd.Stdout, "//\n/home/mate\n//\n/\n/home/mate\n"+mounts)
			return host.Result{}, err
		}
		_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:useradd\ntool:usermod\ngroup:users:x:100:\npasswd:mate:x:1000:100::"+home+":/bin/sh\nhome:mate:1000\nshadowed\nend\n")
		return host.Result{}, err
	}})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
	set := resourcetest.Attrs{"name": cty.StringVal("mate"), "home": cty.StringVal("/home/mate"), "move_home": cty.True}
	o.Apply(set)
	set["home"] = cty.StringVal("/srv/mate")
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	resourcetest.WantError(t, o.ApplyPlan(set, plan), "home", "/home/mate on host local is not moved, because /home/mate/data is a mount point", "unmount it first")
	if change != "" {
		t.Errorf("the change is %q, want none", change)
	}
	mounts = ""
	o.Apply(set)
	if want := "usermod -d /srv/mate -m mate"; change != want {
		t.Errorf("the change is %q, want %q", change, want)
	}
}

// TestLockTimeout checks that a change waits for a lock that another program holds for less than
// lockTimeout, and fails if the program holds the lock for longer.
func TestLockTimeout(t *testing.T) {
	t.Parallel()
	for held, want := range map[time.Duration]string{9 * time.Second: "", time.Minute: "another program holds the lock of this file"} {
		synctest.Test(t, func(t *testing.T) {
			begun, group := time.Now(), ""
			h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
				if remotecmd.Program(cmd)[0] == "/bin/sh" {
					_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:useradd\ntool:groupadd\n"+group+"shadowed\nend\n")
					return host.Result{}, err
				}
				if time.Since(begun) < held {
					_, err := io.WriteString(cmd.Stderr, "groupadd: cannot lock /etc/group; try again later.\n")
					return host.Result{ExitCode: 10}, err
				}
				group = "group:lck:x:1000:\n"
				return host.Result{}, nil
			}})
			scope := resourcetest.Scope(t, h)
			out, err := (&account.Group{Name: "lck"}).Create(t.Context(), scope)
			switch {
			case want == "" && (err != nil || out.GID == nil || *out.GID != 1000):
				t.Errorf("held for %s: the create returned %+v, %v, want a group with the GID 1000", held, out, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("held for %s: the error is %v, want %q", held, err, want)
			}
		})
	}
}

// newUserHost returns a host with useradd, usermod, the group users and the accounts of entries.
// change runs a tool.
func newUserHost(entries func() string, change func(args []string) host.Result) host.Host {
	return memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		args := remotecmd.Program(cmd)
		if args[0] != "/bin/sh" {
			return change(args), nil
		}
		_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:useradd\ntool:usermod\ngroup:users:x:100:\n"+entries()+"shadowed\nend\n")
		return host.Result{}, err
	}})
}

// TestGroupsKept checks that a change of the primary group keeps the groups of the user, including those that another
// resource added in the same apply.
func TestGroupsKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		groups []cty.Value
		want   string
	}{
		"groups not set":                      {nil, "usermod -g games -G both mate"},
		"the primary group is also in groups": {[]cty.Value{cty.StringVal("users")}, "usermod -g games -G both,users mate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			primary, members, change := "100", "", ""
			h := newUserHost(func() string {
				return "group:games:x:60:\ngroup:both:x:2000:" + members + "\npasswd:mate:x:1000:" + primary + "::/home/mate:/bin/sh\n"
			}, func(args []string) host.Result {
				primary, change = "60", strings.Join(args, " ")
				return host.Result{}
			})
			set := resourcetest.Attrs{"name": cty.StringVal("mate"), "create_home": cty.False, "group": cty.StringVal("users")}
			if tt.groups != nil {
				set["groups"] = cty.SetVal(tt.groups)
			}
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
			o.Apply(set)
			set["group"] = cty.StringVal("games")
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			members = "mate"
			resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
			if change != tt.want {
				t.Errorf("the change is %q, want %q", change, tt.want)
			}
		})
	}
}

// TestPrimaryGroupKept checks that an update keeps a primary group that is not configured and was changed after the plan
// was made.
func TestPrimaryGroupKept(t *testing.T) {
	t.Parallel()
	primary, shell, change := "100", "/bin/sh", ""
	h := newUserHost(func() string {
		return "group:games:x:60:\npasswd:mate:x:1000:" + primary + "::/home/mate:" + shell + "\n"
	}, func(args []string) host.Result {
		shell, change = "/bin/bash", strings.Join(args, " ")
		return host.Result{}
	})
	set := resourcetest.Attrs{"name": cty.StringVal("mate"), "create_home": cty.False}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
	o.Apply(set)
	set["shell"] = cty.StringVal("/bin/bash")
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	primary = "60"
	resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
	if want := "usermod -s /bin/bash mate"; change != want {
		t.Errorf("the change is %q, want %q", change, want)
	}
	o.NoChange(set)
	o.WantAttrs(resourcetest.Attrs{"group": cty.StringVal("games")})
}

// TestUnknownInputs checks that the plan of an update with an unknown value shows the present values of attributes that
// are not configured: the path of a file in the home directory would be unknown otherwise, and the file replaced.
func TestUnknownInputs(t *testing.T) {
	t.Parallel()
	h := newUserHost(func() string { return "passwd:mate:x:1000:100::/home/mate:/bin/sh\n" },
		func([]string) host.Result { return host.Result{} })
	p := resourcetest.NewOn(t, types, h)
	user := resourcetest.Attrs{"name": cty.StringVal("mate"), "create_home": cty.False}
	o := resourcetest.NewObject(t, p, "posix_user")
	o.Apply(user)
	user["password_hash"] = cty.UnknownVal(cty.String)
	o.Changes(user, "host", "password_hash", "password_hash_wo_intact")

	group := resourcetest.Attrs{"name": cty.StringVal("users")}
	o = resourcetest.NewObject(t, p, "posix_group")
	o.Apply(group)
	group["members"] = cty.UnknownVal(cty.Set(cty.String))
	o.Changes(group, "host", "members")
}

// TestFailedUpdateKeepsGroup checks that a failed update stores the primary group as configured.
func TestFailedUpdateKeepsGroup(t *testing.T) {
	t.Parallel()
	h := newUserHost(func() string { return "passwd:mate:x:1000:100::/home/mate:/bin/sh\n" },
		func([]string) host.Result { return host.Result{ExitCode: 1} })
	set := resourcetest.Attrs{"name": cty.StringVal("mate"), "group": cty.StringVal("100"), "create_home": cty.False}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
	o.Apply(set)
	set["shell"] = cty.StringVal("/bin/bash")
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	if !o.ApplyPlan(set, plan).HasErrors() {
		t.Error("the update succeeded, although usermod fails")
	}
	o.WantAttrs(resourcetest.Attrs{"group": cty.StringVal("100")})
}

// TestAdoptedLock checks that the create of a user whose password passwd -l has locked, with two
// exclamation marks, adopts the user without a change.
func TestAdoptedLock(t *testing.T) {
	t.Parallel()
	var calls []string
	h := newUserHost(func() string {
		return "passwd:mate:x:1000:100::/home/mate:/bin/sh\nshadow:mate:!!" + hashOne + ":\n"
	}, func(args []string) host.Result {
		calls = append(calls, args[0])
		return host.Result{ExitCode: 1}
	})
	out, err := (&account.User{Name: "mate", PasswordHash: new(hashOne), Locked: new(true)}).Create(t.Context(), resourcetest.Scope(t, h))
	if err != nil || out == nil || len(calls) > 0 {
		t.Errorf("the create returned %+v, %v after the calls %q, want the user without a call", out, err, calls)
	}
}

// TestUserRemovedMeanwhile checks that an update fails if another program removes the user at the same time.
func TestUserRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	user := "passwd:mate:x:1000:100::/home/mate:/bin/sh\n"
	h := newUserHost(func() string { return user }, func([]string) host.Result {
		user = ""
		return host.Result{}
	})
	set := resourcetest.Attrs{"name": cty.StringVal("mate"), "create_home": cty.False, "group": cty.StringVal("users")}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_user")
	o.Apply(set)
	set["shell"] = cty.StringVal("/bin/bash")
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	resourcetest.WantError(t, o.ApplyPlan(set, plan), "", "the user mate was removed from host local")
}

// TestFullDisk checks that the error of a tool that cannot lock a file because the disk is full names
// this cause, and that the tool is not run again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	calls := 0
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		if remotecmd.Program(cmd)[0] == "/bin/sh" {
			_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:useradd\ntool:groupadd\ntool:gpasswd\ngroup:full:x:1000:\nshadowed\nend\n")
			return host.Result{}, err
		}
		calls++
		_, err := io.WriteString(cmd.Stderr, "gpasswd: /etc/group.7: No space left on device\ngpasswd: cannot lock /etc/group; try again later.\n")
		return host.Result{ExitCode: 1}, err
	}})
	set := resourcetest.Attrs{"name": cty.StringVal("full")}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_group")
	o.Apply(set)
	set["members"] = cty.SetVal([]cty.Value{cty.StringVal("root")})
	diags := o.ApplyPlan(set, o.Plan(set))
	resourcetest.WantError(t, diags, "", "No space left on device", "The file system on host local is full: free space or inodes and apply again")
	if calls != 1 || strings.Contains(diags.Error(), "another program") || strings.Contains(diags.Error(), "Create the users") {
		t.Errorf("%d calls, want 1; the error is %v, want one without the remedies for a lock and for missing users", calls, diags)
	}
}

// TestHashInNoError checks that the error of an interrupted read of accounts does not have
// the output, which may contain a hash.
func TestHashInNoError(t *testing.T) {
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		_, err := io.WriteString(cmd.Stdout, "begin\nshadow:web:$6$salt$secret:\n")
		return host.Result{ExitCode: 137, Signal: "KILL"}, err
	}})
	scope := resourcetest.Scope(t, h)
	_, err := (&account.User{Name: "web", PasswordHash: new("$6$salt$secret")}).Create(t.Context(), scope)
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "KILL") {
		t.Errorf("the error is %v, want one that names the signal KILL and has no hash", err)
	}
}

// TestFailedAdd checks that an account is in the state after its tool has failed if the tool has, or may
// have, added it.
func TestFailedAdd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		exit    int
		stderr  string
		added   bool
		lost    error // error of the tool, and of all later commands
		inState bool
	}{
		"home directory not created": {exit: 12, added: true, inState: true},
		"not added":                  {exit: 1},
		"name in use":                {exit: 9, added: true},
		"name in use on busybox":     {exit: 1, stderr: "adduser: user 'web' in use\n", added: true},
		"connection lost":            {lost: host.ErrLost, inState: true},
		"not started":                {lost: &host.NotStartedError{Err: host.ErrLost}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newHost := func() host.Host {
				tried := false
				return memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
					change := remotecmd.Program(cmd)[0] != "/bin/sh"
					tried = tried || change
					if tried && tt.lost != nil {
						return host.Result{}, tt.lost
					}
					if change {
						_, err := io.WriteString(cmd.Stderr, tt.stderr)
						return host.Result{ExitCode: tt.exit}, err
					}
					accounts := ""
					if tried && tt.added {
						accounts = "passwd:web:x:1000:1000::/home/web:/bin/sh\ngroup:web:x:1000:\n"
					}
					_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:useradd\ntool:groupadd\n"+accounts+"shadowed\nend\n")
					return host.Result{}, err
				}})
			}
			user, err := (&account.User{Name: "web"}).Create(t.Context(), resourcetest.Scope(t, newHost()))
			if err == nil || (user != nil) != tt.inState {
				t.Errorf("the create returned the user %v and the error %v, want an error, and a user: %t", user, err, tt.inState)
			}
			group, err := (&account.Group{Name: "web"}).Create(t.Context(), resourcetest.Scope(t, newHost()))
			if err == nil || (group != nil) != tt.inState {
				t.Errorf("the create returned the group %v and the error %v, want an error, and a group: %t", group, err, tt.inState)
			}
		})
	}
}

// sameNameHost simulates a host with the tools of the shadow suite, and a user and a group of the same name:
// userdel also deletes the group.
type sameNameHost struct {
	user, group string // lines of the output of the read script
	calls       []string
}

func (h *sameNameHost) run(_ context.Context, cmd host.Command) (host.Result, error) {
	args := remotecmd.Program(cmd)
	if args[0] == "/bin/sh" {
		_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:useradd\ntool:groupadd\n"+h.group+h.user+"shadowed\nend\n")
		return host.Result{}, err
	}
	h.calls = append(h.calls, strings.Join(args, " "))
	switch args[0] {
	case "useradd":
		h.user, h.group = "passwd:web:x:1000:1000::/home/web:/bin/sh\n", "group:web:x:1000:\n"
	case "userdel":
		h.user, h.group = "", ""
	case "groupadd":
		h.group = "group:web:x:1000:\n"
	}
	return host.Result{}, nil
}

// TestGroupOfDeletedUser checks that the delete of a user keeps a group of the same name, unless the create
// of the user has made it and no other resource manages it.
func TestGroupOfDeletedUser(t *testing.T) {
	t.Parallel()
	userSet := resourcetest.Attrs{"name": cty.StringVal("web"), "create_home": cty.False}
	groupSet := resourcetest.Attrs{"name": cty.StringVal("web")}
	for name, tt := range map[string]struct {
		found bool // whether the accounts exist before the create
		adopt func(t *testing.T, user, group *resourcetest.Object, newProvider func() provider.Interface)
		kept  bool
	}{
		"made by the create": {},
		"user adopted":       {found: true, kept: true},
		"group adopted in the same run": {kept: true, adopt: func(t *testing.T, _, group *resourcetest.Object, _ func() provider.Interface) {
			t.Helper()
			plan := group.Plan(groupSet)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.NoErrors(t, group.ApplyPlan(groupSet, plan))
		}},
		"group adopted in an earlier run": {kept: true, adopt: func(t *testing.T, user, group *resourcetest.Object, newProvider func() provider.Interface) {
			t.Helper()
			group.Apply(groupSet)
			group.Refresh()
			user.Refresh()
			user.Provider = newProvider() // a plan and its apply run in different processes
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &sameNameHost{}
			if tt.found {
				fake.user, fake.group = "passwd:web:x:1000:1000::/home/web:/bin/sh\n", "group:web:x:1000:\n"
			}
			newProvider := func() provider.Interface {
				return resourcetest.NewOn(t, types, memory.New(memory.Config{Name: host.LocalName, Run: fake.run}))
			}
			p := newProvider()
			user, group := resourcetest.NewObject(t, p, "posix_user"), resourcetest.NewObject(t, p, "posix_group")
			user.Apply(userSet)
			if tt.adopt != nil {
				tt.adopt(t, user, group, newProvider)
			}
			fake.calls = nil
			resourcetest.NoErrors(t, user.DeleteNow())
			want := []string{"userdel web"}
			if tt.kept {
				want = append(want, "groupadd -g 1000 web")
			}
			if !slices.Equal(fake.calls, want) {
				t.Errorf("the calls are %q, want %q", fake.calls, want)
			}
		})
	}
}

// TestFailedCreateKeepsHome checks that a create that fails after it has added the user deletes the user if the home
// directory existed before and remove_home is set: the next apply would delete the directory with the tainted user. If the
// user cannot be deleted, the user is in the state, and the error says how to keep the directory.
func TestFailedCreateKeepsHome(t *testing.T) {
	t.Parallel()
	for exit, want := range map[int]string{0: "The new user was deleted", 1: "run untaint"} {
		checkFailedCreate(t, new("/srv/web"), exit, want)
		checkFailedCreate(t, nil, exit, want)
	}
}

// checkFailedCreate lets a create of the user web fail after the user was added. It checks the error, and that deluser
// runs, which ends with the given exit code. The home directory, by default /home/web, exists.
func checkFailedCreate(t *testing.T, home *string, exit int, want string) {
	t.Helper()
	at, there := "/home/web", ""
	if home != nil {
		at, there = *home, "there\n"
	}
	user := ""
	var calls []string
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		args := remotecmd.Program(cmd)
		switch {
		case args[0] != "/bin/sh":
			calls = append(calls, strings.Join(args, " "))
			if exit == 0 {
				user = ""
			}
			return host.Result{ExitCode: exit}, nil
		case slices.Contains(args, "adduser"): // the script that runs the tools: only adduser succeeds
			user = "passwd:web:x:1000:100::" + at + ":/bin/sh\nhome:web:1000\n"
			_, err := io.WriteString(cmd.Stdout, "\n")
			return host.Result{ExitCode: 1}, err
		}
		_, err := io.WriteString(cmd.Stdout, "begin\nme:0\ntool:busybox\ngroup:users:x:100:\n"+user+"shadowed\n"+there+"end\n")
		return host.Result{}, err
	}})
	for _, dir := range []string{path.Dir(at), at} {
		_, err := h.Mkdir(t.Context(), dir, host.Attributes{})
		resourcetest.Must(t, err)
	}
	u := &account.User{Name: "web", Group: new("users"), Groups: []string{"ops"}, Home: home, CreateHome: new(true), RemoveHome: new(true)}
	out, err := u.Create(t.Context(), resourcetest.Scope(t, h))
	if err == nil || (out != nil) != (exit != 0) || !strings.Contains(err.Error(), want) {
		t.Errorf("home %s, exit code %d of deluser: the create returned %+v, %v, want a user: %t, and the error %q", at, exit, out, err, exit != 0, want)
	}
	if want := []string{"deluser web"}; !slices.Equal(calls, want) {
		t.Errorf("home %s: the calls are %q, want %q", at, calls, want)
	}
}
