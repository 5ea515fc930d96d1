package account

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

const answer = `Welcome!
begin
me:0
tool:useradd
limit:UID_MIN:500
limit:UID_MAX:many
passwd:root:x:0:0:root:/root:/bin/bash
passwd:# remark
passwd:+@nis::::::
passwd:+ov:x:77:77:::
passwd:odd:x:-1:0::/:
passwd:large:x:4294967295:0::/:
passwd:short:x:1:1
passwd:al:x:501:100:A: B:/home/al:/bin/sh
passwd:bo:x:502:502:Bo,,,:/home/bo:/bin/sh
group:users:x:100:bo, al ,,al
group:al:x:501:
group:
group:+:::
group:-no:x:78:
shadow:al:!x:21945
shadow:bo:*:-1
shadow:root::99999999999
home:al:501
shadowed
there
end
`

func TestParse(t *testing.T) {
	t.Parallel()
	s, err := parse(answer)
	if err != nil {
		t.Fatal(err)
	}
	s.host = memory.New(memory.Config{Name: "web"})
	if !s.root || !s.pathExists || !s.shadowed || s.shadowUnreadable || len(s.users) != 3 || len(s.groups) != 2 {
		t.Errorf("the accounts are %+v, want 3 users and 2 groups, read by root with /etc/shadow, and an existing path", s)
	}
	al, _ := s.user("al")
	if al.comment != "A" || al.home != " B" { // the C library parses such a line in the same way
		t.Errorf("al: %+v", al)
	}
	bo, _ := s.user("bo")
	if got := userOutput(s, bo); *got.Group != "502" || !slices.Equal(got.Groups, []string{"users"}) || *got.Expires != never || got.Locked != nil || *got.CreateHome {
		t.Errorf("bo: %+v", got)
	}
	if got := userOutput(s, al); *got.Expires != "2030-01-31" || got.Locked == nil || !*got.CreateHome || *got.Group != "users" {
		t.Errorf("al: %+v", got)
	}
	root, _ := s.user("root")
	if got := s.expires(root); got != "99999999999" {
		t.Errorf("root expires %s", got)
	}
	if users, _ := s.group("users"); !slices.Equal(users.members, []string{"al", "bo"}) {
		t.Errorf("users: %+v", users)
	}
	if !s.isSystem(499, "UID") || s.isSystem(500, "UID") || s.isSystem(60000, "UID") || !s.isSystem(60001, "UID") || !s.isSystem(999, "GID") {
		t.Error("isSystem does not follow the limits of the host and their defaults")
	}
}

func TestParseIncomplete(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "begin\n", answer[:len(answer)-2], strings.ReplaceAll(answer, "begin", ""), answer + "more\n"} {
		if s, err := parse(text); err == nil {
			t.Errorf("%q is accepted as %+v, want an error", text, s)
		}
	}
}

// TestSplitGroup checks that a group with several lines has the members of all these lines.
func TestSplitGroup(t *testing.T) {
	t.Parallel()
	s, err := parse("begin\ngroup:big:x:700:c,a\ngroup:big:x:700:b,a\ngroup:big2:x:700:d\nend\n")
	if err != nil {
		t.Fatal(err)
	}
	if big, _ := s.group("big"); len(s.groups) != 2 || !slices.Equal(big.members, []string{"a", "b", "c"}) {
		t.Errorf("the groups are %+v, want 2, and the members a, b and c of big", s.groups)
	}
}

// FuzzParse checks that accounts in any output can be stored in the state, and that an
// entry is either valid or skipped.
func FuzzParse(f *testing.F) {
	f.Add(answer)
	f.Add("begin\npasswd:\xff:x:1:1:e\u0301:\xff:/\ngroup:g:x:1:\xff\nshadow:\xff:!!a:7\nend\n")
	f.Add("begin\npasswd:a:x:1:1:::\npasswd:a:x:2:1:::\nend")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err != nil {
			return
		}
		s.host = memory.New(memory.Config{Name: "web"})
		for _, u := range s.users {
			if u.uid < 0 || u.uid > maxID || u.name == "" {
				t.Errorf("user %+v", u)
			}
			out := userOutput(s, u)
			for _, text := range append([]string{*out.Group, *out.Comment, *out.Home, *out.Shell, *out.Expires}, out.Groups...) {
				if stored := cty.StringVal(text).AsString(); stored != text {
					t.Errorf("%q is stored as %q, want it unchanged", text, stored)
				}
			}
		}
		for _, g := range s.groups {
			if !slices.IsSorted(g.members) || g.gid < 0 {
				t.Errorf("group %+v", g)
			}
		}
	})
}

func TestIsLocked(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"useradd: cannot lock /etc/passwd; try again later.\n":                                                            true,
		"groupadd: existing lock file /etc/group.lock with PID 7\ngroupadd: cannot lock /etc/group; try again later.\n":   true,
		"useradd: Permission denied.\nuseradd: cannot lock /etc/passwd; try again later.\n":                               false,
		"useradd: cannot open /etc/passwd.7: Read-only file system\nuseradd: cannot lock /etc/passwd; try again later.\n": false,
		"useradd: cannot open /etc/passwd\n":                                                                              false,
	} {
		if got := isLocked(&remotecmd.Failed{Result: remotecmd.Result{Stderr: output, ExitCode: 1}}); got != want {
			t.Errorf("%q: isLocked returns %t, want %t", output, got, want)
		}
	}
	if isLocked(nil) || isLocked(errors.New("cannot lock /etc/passwd")) {
		t.Error("isLocked returns true for nil or for an error that is not from a tool, want false")
	}
}

// TestHintCauses checks that only errors that a missing user or group can cause are followed by the advice
// to create it first.
func TestHintCauses(t *testing.T) {
	t.Parallel()
	failed := func(stderr string) error {
		return &remotecmd.Failed{Host: "web", Args: []string{"gpasswd"}, Result: remotecmd.Result{Stderr: stderr, ExitCode: 1}}
	}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"missing user":    {failed("gpasswd: user 'al' does not exist\n"), true},
		"held lock":       {failed("gpasswd: cannot lock /etc/group; try again later.\n"), false},
		"no permission":   {failed("gpasswd: Permission denied.\ngpasswd: cannot lock /etc/group; try again later.\n"), false},
		"full disk":       {failed("gpasswd: /etc/group.7: No space left on device\n"), false},
		"lost connection": {host.ErrLost, false},
		"no program":      {&remotecmd.Missing{Host: "web", Program: "gpasswd"}, false},
	} {
		for _, explain := range []func(error) error{withMembersHint, (&User{Name: "al"}).joinStep("ops").explain} {
			if got := explain(tt.err).Error(); strings.Contains(got, "Create the ") != tt.want {
				t.Errorf("%s: the error is %q, want advice to create a user or group: %t", name, got, tt.want)
			}
		}
	}
}

// TestField checks that locking and unlocking keep the hash unless a new one is set, and that a new hash is not locked
// unless a lock is configured.
func TestField(t *testing.T) {
	t.Parallel()
	const hash, other = "$6$salt$one", "$6$salt$two"
	lock, unlock := &User{Locked: new(true)}, &User{Locked: new(false)}
	for _, tt := range []struct {
		u         *User
		now, want string
		hash      *string
	}{
		{lock, hash, "!" + hash, nil},
		{lock, "*", "!*", nil},
		{unlock, "!" + hash, hash, nil},
		{unlock, "!!" + hash, hash, nil},
		{unlock, "!", "*", nil},
		{unlock, "!*", "*", nil},
		{unlock, "", "", nil},
		{lock, "!" + hash, "!" + other, new(other)},
		{unlock, "!", other, new(other)},
		{&User{}, "!" + hash, other, new(other)},
	} {
		if got := tt.u.desiredField(tt.now, tt.hash); got != tt.want {
			t.Errorf("%q is changed to %q, want %q", tt.now, got, tt.want)
		}
	}
}

// TestPasswordLine checks that a field that has the configured lock and hash is not written, even if its lock has
// several signs.
func TestPasswordLine(t *testing.T) {
	t.Parallel()
	const hash, other = "$6$salt$one", "$6$salt$two"
	lock, unlock := &User{Name: "al", Locked: new(true)}, &User{Name: "al", Locked: new(false)}
	for _, tt := range []struct {
		u         *User
		now, want string
		hash      *string
	}{
		{lock, "!" + hash, "", new(hash)},
		{lock, "!!" + hash, "", new(hash)},
		{lock, "!!" + other, "al:!" + hash, new(hash)},
		{lock, hash, "al:!" + hash, new(hash)},
		{lock, "!!" + hash, "", nil},
		{lock, "", "al:!", nil},
		{unlock, hash, "", new(hash)},
		{unlock, "!!" + hash, "al:" + hash, new(hash)},
		{unlock, "", "", nil},
		{unlock, "!", "al:*", nil},
		{&User{Name: "al"}, hash, "", new(hash)},
		{&User{Name: "al"}, "!" + hash, "al:" + hash, new(hash)},
		{&User{Name: "al"}, "!" + hash, "", nil},
	} {
		if got, change := tt.u.passwordLine(tt.now, tt.hash); got != tt.want || change != (tt.want != "") {
			t.Errorf("the line for %q is %q (change: %t), want %q (change: %t)", tt.now, got, change, tt.want, tt.want != "")
		}
	}
}
