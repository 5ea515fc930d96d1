package account_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// attributesOf returns the named attributes of an object as text.
func attributesOf(v cty.Value, names ...string) string {
	var all []string
	for _, name := range names {
		switch a := v.GetAttr(name); {
		case a.IsNull():
			all = append(all, name+"=null")
		case a.Type() == cty.Number:
			all = append(all, name+"="+a.AsBigFloat().String())
		case a.Type() == cty.Bool:
			all = append(all, fmt.Sprintf("%s=%t", name, a.True()))
		case a.Type() == cty.String:
			all = append(all, fmt.Sprintf("%s=%q", name, a.AsString()))
		default:
			var elements []string
			for _, e := range a.AsValueSlice() {
				elements = append(elements, e.AsString())
			}
			all = append(all, name+"="+strings.Join(elements, ","))
		}
	}
	return strings.Join(all, " ")
}

func namesOf(found []resourcetest.Found) []string {
	var names []string
	for _, f := range found {
		names = append(names, f.Identity.GetAttr("host").AsString()+":"+f.Identity.GetAttr("name").AsString())
	}
	return names
}

// TestList creates accounts and lists them with the examples of the registry pages.
func TestList(t *testing.T) {
	roottest.Require(t)
	must(t, `
groupadd team-a; groupadd team-b; groupadd -r team-system
useradd -m -c 'Eve É' -G team-a,team-b eve
useradd -r -M -s /usr/sbin/nologin app-one; useradd -r -M my-app-one; groupadd xteam-c
useradd -M -e 2031-02-03 zoe; usermod -p '`+hashOne+`' zoe; usermod -L zoe
printf '+::::::\n# no account\nbroken:x\n\n' >>/etc/passwd
printf '+:::\n' >>/etc/group`)
	t.Cleanup(func() {
		must(t, `sed -i -e '/^+/d' -e '/^#/d' -e '/^broken/d' -e '/^$/d' /etc/passwd /etc/group
userdel -r eve || :; userdel app-one; userdel my-app-one; groupdel xteam-c; userdel zoe; groupdel team-a; groupdel team-b; groupdel team-system`)
	})
	users := resourcetest.Query(t, serve, resourcetest.ExampleFile(t, "list-resources/posix_user/list-resource.tfquery.hcl"))
	if diff := cmp.Diff([]string{"local:eve", "local:zoe"}, namesOf(users["people"])); diff != "" {
		t.Errorf("people (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"local:app-one"}, namesOf(users["services"])); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
	groups := resourcetest.Query(t, serve, resourcetest.ExampleFile(t, "list-resources/posix_group/list-resource.tfquery.hcl"))
	if diff := cmp.Diff([]string{"local:team-a", "local:team-b"}, namesOf(groups["teams"])); diff != "" {
		t.Errorf("teams (-want +got):\n%s", diff)
	}
	all := resourcetest.Query(t, serve, "list \"posix_user\" \"all\" {\n  provider = posix\n  include_resource = true\n  config {\n    include_system = true\n  }\n}\n")["all"]
	got := map[string]string{}
	for _, f := range all {
		got[f.Name] = attributesOf(f.Object, "group", "groups", "comment", "create_home", "shell", "locked", "expires", "password_hash")
	}
	for name, want := range map[string]string{
		"root on local":    `group="root" groups= comment="root" create_home=true shell="/bin/bash" locked=null expires="never" password_hash=null`,
		"eve on local":     `group="eve" groups=team-a,team-b comment="Eve É" create_home=true shell="/bin/sh" locked=null expires="never" password_hash=null`,
		"zoe on local":     `group="zoe" groups= comment="" create_home=false shell="/bin/sh" locked=true expires="2031-02-03" password_hash=null`,
		"app-one on local": `group="app-one" groups= comment="" create_home=false shell="/usr/sbin/nologin" locked=null expires="never" password_hash=null`,
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
}

// TestData checks that users are found by name and by UID, and that a missing user is an error.
func TestData(t *testing.T) {
	roottest.Require(t)
	must(t, `useradd -u 3456 -m -c Fred -e 2031-02-03 -G games fred; usermod -p '`+hashOne+`' fred`)
	t.Cleanup(func() { must(t, "userdel fred2 || :; userdel -r fred || :") })
	check := func(want map[string]string) resource.TestCheckFunc {
		var all []resource.TestCheckFunc
		for name, value := range want {
			all = append(all, resource.TestCheckResourceAttr("data.posix_user.it", name, value))
		}
		return resource.ComposeAggregateTestCheckFunc(all...)
	}
	fred := map[string]string{
		"host": "local", "name": "fred", "uid": "3456", "gid": "3456", "group": "fred", "groups.#": "1", "groups.0": "games", "comment": "Fred",
		"home": "/home/fred", "home_exists": "true", "shell": "/bin/sh", "locked": "false", "has_password": "true", "expires": "2031-02-03", "local": "true",
	}
	it := func(what string) string { return "data \"posix_user\" \"it\" {\n  " + what + "\n}\n" }
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: it(`name = "fred"`), Check: check(fred)},
		{Config: it(`uid = 3456`), Check: check(fred)},
		{Config: it(`uid = 3456`), PreConfig: func() { must(t, "useradd -o -M -u 3456 fred2") }, Check: check(fred)}, // the first user with the UID
		{Config: it(`name = "games"`), Check: check(map[string]string{"uid": "5", "home_exists": "true", "groups.#": "0", "locked": "false", "has_password": "false", "expires": "never"})},
		{Config: it(`name = "nobody"`), Check: check(map[string]string{"uid": "65534", "group": "nogroup", "home_exists": "false"})},
		{Config: it(`name = "ghost"`), ExpectError: resourcetest.WrappedText("host local has no user ghost")},
		{Config: it(`uid = 3457`), ExpectError: resourcetest.WrappedText("host local has no user 3457")},
		{Config: it(`name = "77"`), ExpectError: resourcetest.WrappedText("use uid = 77")},
		{Config: resourcetest.ExampleFile(t, "data-sources/posix_user/data-source.tf"), Check: func(s *terraform.State) error {
			if got := fmt.Sprint(s.RootModule().Outputs["www_groups"].Value); got != "[www-data]" {
				return fmt.Errorf("the groups are %s, want [www-data]", got)
			}
			return nil
		}},
	}})
}

// addForeignAccounts makes getent and id return a user and two groups that the local files do not have.
func addForeignAccounts(t *testing.T) {
	t.Helper()
	const dir = "/usr/local/sbin"
	for name, text := range map[string]string{
		"getent": `case $1:$2 in
passwd:ldap@corp | passwd:ldap | passwd:70001) echo "$2:*:70001:70002:From LDAP:/home/ldap:/bin/zsh" ;;
group:domain | group:70002) echo 'domain:*:70002:' ;;
group:70003) echo 'staff of corp:*:70003:ldap' ;;
*) exec /usr/bin/getent "$@" ;;
esac`,
		"id": `[ "$1" = -G ] && { echo 70002 70003; exit; }
exec /usr/bin/id "$@"`,
	} {
		if err := os.WriteFile(dir+"/"+name, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Remove(dir + "/" + name) })
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestForeign reads a user that is not in /etc/passwd, and checks that such a user and a group that is not in
// /etc/group cannot be managed.
func TestForeign(t *testing.T) {
	roottest.Require(t)
	addForeignAccounts(t)
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{{
		Config: "data \"posix_user\" \"it\" {\n  name = \"ldap@corp\"\n}\n",
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr("data.posix_user.it", "uid", "70001"),
			resource.TestCheckResourceAttr("data.posix_user.it", "local", "false"),
			resource.TestCheckResourceAttr("data.posix_user.it", "group", "domain"),
			resource.TestCheckResourceAttr("data.posix_user.it", "groups.0", "staff of corp"),
			resource.TestCheckResourceAttr("data.posix_user.it", "shell", "/bin/zsh"),
			resource.TestCheckNoResourceAttr("data.posix_user.it", "locked"),
			resource.TestCheckNoResourceAttr("data.posix_user.it", "home_exists"),
		),
	}}})
	resourcetest.Fails(t, serve, "resource \"posix_user\" \"it\" {\n  name = \"ldap\"\n}\n", true, "the user ldap of host local is not in /etc/passwd: it is provided by another service")
	resourcetest.Fails(t, serve, "resource \"posix_group\" \"it\" {\n  name = \"domain\"\n}\n", true, "the group domain of host local is not in /etc/group: it is provided by another service")
}
