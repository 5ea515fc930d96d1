package account_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

func one(kind, body string) string {
	return fmt.Sprintf("resource \"posix_%s\" \"it\" {\n  %s\n}\n", kind, strings.ReplaceAll(body, "; ", "\n  "))
}

// TestInvalidAttributes checks that invalid attributes are errors of the plan, without
// access to the host.
func TestInvalidAttributes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 33)
	nowhere := resourcetest.ProviderOn(types, func() (host.Host, error) { return nil, errors.New("the test must not access a host") })
	for name, tt := range map[string]struct{ kind, body, want string }{
		"empty name":         {"user", `name = ""`, "consists of letters, digits"},
		"option as name":     {"user", `name = "-r"`, "must not start with a dot or a dash"},
		"space in name":      {"user", `name = "a b"`, "consists of letters, digits"},
		"colon in name":      {"group", `name = "a:b"`, "consists of letters, digits"},
		"newline in name":    {"group", `name = "a\nb"`, "consists of letters, digits"},
		"number as name":     {"user", `name = "1234"`, "would be read as an ID"},
		"long name":          {"user", `name = "` + long + `"`, "has 33 bytes"},
		"long group":         {"group", `name = "` + long + `"`, "at most 32"},
		"uid too small":      {"user", `name = "a"; uid = -1`, "must be from 0 to"},
		"uid too large":      {"user", `name = "a"; uid = 4294967295`, "from 0 to 4294967294"},
		"gid too large":      {"group", `name = "a"; gid = 4294967295`, "from 0 to 4294967294"},
		"primary group":      {"user", `name = "a"; group = "b c"`, "consists of letters, digits"},
		"primary gid":        {"user", `name = "a"; group = "99999999999"`, "from 0 to 4294967294"},
		"groups":             {"user", `name = "a"; groups = ["ok", "1"]`, "would be read as an ID"},
		"members":            {"group", `name = "a"; members = ["a,b"]`, "consists of letters, digits"},
		"colon in comment":   {"user", `name = "a"; comment = "x:0:0"`, "must not contain colons"},
		"newline in comment": {"user", `name = "a"; comment = "x\ny"`, "must not contain colons, line breaks"},
		"relative home":      {"user", `name = "a"; home = "home/a"`, "absolute"},
		"colon in home":      {"user", `name = "a"; home = "/h:a"`, "must not contain colons"},
		"relative shell":     {"user", `name = "a"; shell = "bash"`, "absolute"},
		"invalid date":       {"user", `name = "a"; expires = "2031-02-30"`, "must be a date"},
		"first date":         {"user", `name = "a"; expires = "1970-01-01"`, "must be after 1970-01-01"},
		"plain password":     {"user", `name = "a"; password_hash = "hunter2"`, "must be a password hash"},
		"locked hash":        {"user", `name = "a"; password_hash = "!$6$abc$defghijkl"`, "set locked = true"},
		"colon in hash":      {"user", `name = "a"; password_hash = "$6$abc$def:0:99999"`, "must be a password hash"},
		"newline in hash":    {"user", `name = "a"; password_hash = "$6$abc$defghijkl\nroot:x"`, "must be a password hash"},
		"two hashes":         {"user", `name = "a"; password_hash = "$6$a$defghijklm"; password_hash_wo = "$6$a$defghijklm"; password_hash_wo_version = "1"`, "Only one of password_hash and password_hash_wo can be set"},
		"no version":         {"user", `name = "a"; password_hash_wo = "$6$a$defghijklm"`, "password_hash_wo_version"},
		"invalid host":       {"user", `name = "a"; host = "a b"`, "not a valid host name or address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resourcetest.Fails(t, nowhere, one(tt.kind, tt.body), true, tt.want)
		})
	}
}

// TestConflicts checks that plans fail for existing accounts with differences, and for IDs
// of other accounts.
func TestConflicts(t *testing.T) {
	roottest.Require(t)
	must(t, "useradd -u 3500 -M -c Old -s /bin/sh -G games old; usermod -p '"+hashOne+"' old; groupadd -g 3600 oldies; gpasswd -M games oldies")
	t.Cleanup(func() { must(t, "userdel old; groupdel oldies") })
	for name, tt := range map[string]struct{ kind, body, want string }{
		"uid taken":  {"user", `name = "new"; uid = 3500`, "UID 3500 belongs to the user old on host local"},
		"gid taken":  {"group", `name = "new"; gid = 3600`, "GID 3600 belongs to the group oldies on host local"},
		"other uid":  {"user", `name = "old"; create_home = false; uid = 3501`, `the user old already exists on host local and differs from the configuration: uid is 3500. Import it (id "local:old")`},
		"all others": {"user", `name = "old"; group = "games"; groups = []; comment = "New"; home = "/new"; shell = "/bin/bash"; expires = "2031-02-03"; locked = true`, `group is old, groups is games, comment is "Old", home is /home/old, shell is /bin/sh, expires is never, the home directory /home/old is missing, locked is false.`},
		"password":   {"user", `name = "old"; create_home = false; password_hash = "` + hashTwo + `"`, "differs from the configuration: the password is different."},
		"other gid":  {"group", `name = "oldies"; gid = 3601; members = []`, `gid is 3600, members are games. Import it (id "local:oldies")`},
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Fails(t, serve, one(tt.kind, tt.body), true, tt.want)
		})
	}
}

// TestApplyErrors checks errors that only the apply returns.
func TestApplyErrors(t *testing.T) {
	roottest.Require(t)
	must(t, "groupadd full; useradd -M -g full inside; useradd -m busy; useradd -M -u 3700 holder")
	t.Cleanup(func() { must(t, "userdel inside; groupdel full; userdel -r busy || :; userdel holder") })
	apply := func(t *testing.T, want string, steps ...string) {
		t.Helper()
		var all []resource.TestStep
		for i, config := range steps {
			step := resource.TestStep{Config: config}
			if i == len(steps)-1 {
				step.ExpectError = resourcetest.WrappedText(want)
			}
			all = append(all, step)
		}
		acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: all})
	}
	t.Run("missing group", func(t *testing.T) {
		apply(t, "group 'nope' does not exist. Create the group first, for example with posix_group", one("user", `name = "u1"; groups = ["nope"]`))
		apply(t, "group 'nope' does not exist", one("user", `name = "u1"; group = "nope"`))
		apply(t, "Create the group first", one("user", `name = "u1"`), one("user", `name = "u1"; groups = ["nope"]`))
	})
	t.Run("missing member", func(t *testing.T) {
		apply(t, "user 'nope' does not exist. Create the users first, for example with posix_user", one("group", `name = "g1"; members = ["nope"]`))
	})
	t.Run("ID taken", func(t *testing.T) {
		apply(t, "UID 3700 belongs to the user holder", one("user", `name = "u2"`), one("user", `name = "u2"; uid = 3700`))
		apply(t, "GID 5 belongs to the group tty", one("group", `name = "g2"`), one("group", `name = "g2"; gid = 5`))
	})
	t.Run("file at home path", func(t *testing.T) {
		must(t, "touch /srv/file")
		apply(t, "/srv/file already exists and is not a directory", one("user", `name = "u3"; home = "/srv/file"`))
	})
	t.Run("file above home path", func(t *testing.T) {
		must(t, "touch /srv/file")
		walk(
			t, "user",
			step{config: one("user", `name = "u4"; home = "/srv/file/u4"`), fails: "cannot create directory /srv/file/u4"},
			step{config: one("user", `name = "u4"; home = "/srv/u4"`), then: "test -d /srv/u4"},
		)
	})
}
