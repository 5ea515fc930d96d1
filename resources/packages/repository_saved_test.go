package packages_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// TestRepositoryChangedAfterPlan checks that an update does not replace a definition or a key that
// the plan has not shown.
func TestRepositoryChangedAfterPlan(t *testing.T) {
	repository := func(manager, uri, key string) resourcetest.Attrs {
		set := resourcetest.Attrs{
			"name": cty.StringVal("it"), "manager": cty.StringVal(manager), "uris": cty.ListVal([]cty.Value{cty.StringVal("https://" + uri + ".example.com")}),
		}
		if key != "" {
			set["key"] = cty.StringVal("-----BEGIN PUBLIC KEY-----\n" + key + "\n-----END PUBLIC KEY-----\n")
		}
		return set
	}
	for name, tt := range map[string]struct {
		old, changed    resourcetest.Attrs
		path, attribute string
	}{
		"definition":          {repository("apk", "old", ""), repository("apk", "new", ""), "/etc/apk/repositories.d/it.list", "name"},
		"definition with key": {repository("apk", "old", "abc"), repository("apk", "new", "abc"), "/etc/apk/repositories.d/it.list", "name"},
		"key":                 {repository("apk", "old", "abc"), repository("apk", "old", "def"), "/etc/apk/keys/it.rsa.pub", "key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewRootHost(t, tt.path)
			resourcetest.SavedPlan{
				Types: types, Host: h, TypeName: "posix_package_repository", Old: tt.old, New: tt.changed, Path: tt.path, Attribute: tt.attribute,
			}.Run(t)
		})
	}
}

// TestRepositoryEditedSection checks that an update of a section keeps the edits of others, and does
// not replace an edit of its own lines that the plan has not shown.
func TestRepositoryEditedSection(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewRootHost(t, "/etc/pacman.conf")
	resourcetest.WriteOn(t, h, "/etc/pacman.conf", "[options]\n")
	repository := func(uri string) resourcetest.Attrs {
		return resourcetest.Attrs{"name": cty.StringVal("it"), "manager": cty.StringVal("pacman"), "uris": cty.ListVal([]cty.Value{cty.StringVal(uri)})}
	}
	first, second, third := repository("https://a.example.com"), repository("https://b.example.com"), repository("https://c.example.com")
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	o.Apply(first)
	plan := o.Plan(second)
	resourcetest.WriteOn(t, h, "/etc/pacman.conf", "[options]\n# by hand\n\n[it]\nServer = https://a.example.com\n")
	resourcetest.NoErrors(t, o.ApplyPlan(second, plan))
	const edited = "[options]\n# by hand\n\n[it]\nServer = https://by-hand.example.com\n"
	plan = o.Plan(third)
	resourcetest.WriteOn(t, h, "/etc/pacman.conf", edited)
	resourcetest.WantError(t, o.ApplyPlan(third, plan), "name", "/etc/pacman.conf on host local was changed after the plan was made")
	_, text, err := textedit.Read(t.Context(), h, "/etc/pacman.conf")
	if string(text) != edited || err != nil {
		t.Errorf("the file has %q (%v), want %q", text, err, edited)
	}
	o.Apply(third)
}
