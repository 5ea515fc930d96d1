package sudoers_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedSudoers writes, changes, repairs, imports and removes rules on a recorded host
// with visudo.
func TestRecordedSudoers(t *testing.T) {
	h := resourcetest.Record(t, transcript.Options{
		ReadOnly: func(args []string) bool { return args[0] == "visudo" },
		Watch:    []string{"/etc/sudoers.d"},
		Versions: [][]string{{"visudo", "--version"}},
	})
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	has := func(want string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("grep -x '" + want + "' " + dir + "it; test \"$(stat -c '%a %U %G' " + dir + "it)\" = '440 root root'"))
	}
	second := config("it", "a ALL=(root) /usr/bin/id\n")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config("a.conf", ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("some programs ignore files with dots, tildes or other characters in their names")},
			{Config: config("it", "a ALL=("), PlanOnly: true, ExpectError: resourcetest.WrappedText("visudo on host local rejects the rules, so")},
			{Config: config("it", "a ALL=(ALL) ALL"), Check: has("a ALL=(ALL) ALL")},
			{Config: second, ConfigPlanChecks: plans("update content"), Check: has("a ALL=(root) /usr/bin/id")},
			{Config: config("it", "a ALL="), ExpectError: resourcetest.WrappedText("syntax error")},
			{Config: second, PreConfig: by("echo '# other' >" + dir + "it"), ConfigPlanChecks: plans("update content"), Check: has("a ALL=(root) /usr/bin/id")},
			{Config: second, PreConfig: by("chmod 644 " + dir + "it"), ConfigPlanChecks: plans("update mode"), Check: has("a ALL=(root) /usr/bin/id")},
			{Config: second, PreConfig: by("rm " + dir + "it"), ConfigPlanChecks: plans("create"), Check: has("a ALL=(root) /usr/bin/id")},
			{
				ResourceName: "posix_sudoers.it", ImportState: true, ImportStateId: "it",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
		},
		CheckDestroy: func(*terraform.State) error { return h.Does("test ! -e " + dir + "it")() },
	})
}
