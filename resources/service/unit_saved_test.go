package service_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestUnitChangedAfterPlan checks that an update does not replace content that the plan has not
// shown.
func TestUnitChangedAfterPlan(t *testing.T) {
	t.Parallel()
	const path = "/etc/systemd/system/saved.service"
	unit := func(program string) resourcetest.Attrs {
		return resourcetest.Attrs{"name": cty.StringVal("saved.service"), "content": cty.StringVal("[Service]\nExecStart=" + program + "\n")}
	}
	resourcetest.SavedPlan{
		Types: types, TypeName: "posix_systemd_unit", Old: unit("/bin/true"), New: unit("/bin/false"), Path: path, Attribute: "name",
	}.Everywhere(t)
}
