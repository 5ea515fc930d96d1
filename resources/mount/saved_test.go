package mount_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// TestChangedAfterPlan checks that an update does not replace a line that the plan did not show.
func TestChangedAfterPlan(t *testing.T) {
	roottest.Require(t)
	start(t)
	h, err := local.New()
	resourcetest.Must(t, err)
	sized := func(size string) resourcetest.Attrs {
		return resourcetest.Attrs{
			"path": cty.StringVal("/srv/it"), "source": cty.StringVal("tmpfs"), "type": cty.StringVal("tmpfs"), "mounted": cty.False,
			"options": cty.ListVal([]cty.Value{cty.StringVal("size=" + size)}),
		}
	}
	resourcetest.SavedPlan{
		Types: types, Host: h, TypeName: "posix_mount", Old: sized("1m"), New: sized("2m"), Path: fstab, Attribute: "path",
		Part:   "the line of /srv/it in " + fstab,
		Edited: others + "\ntmpfs /srv/it tmpfs size=7m 0 0\n", Again: others + "\ntmpfs /srv/it tmpfs size=7m,ro 0 0\n",
	}.Run(t)
	checkFstab(t)
}
