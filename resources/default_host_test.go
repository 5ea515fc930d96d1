package resources_test

import (
	"strings"
	"testing"
)

// Whoever has not written the name is told where it comes from.
func TestDefaultHostThatIsNone(t *testing.T) {
	t.Parallel()
	f := newFleet(t, &machines{}, attrs{"default_host": str("wbe"), "ssh_config": str("none")}, map[string]attrs{"web": {}})
	o := newObject(t, f, "posix_symlink")
	set := attrs{"path": str("/a"), "target": str("b")}
	wantError(t, o.plan(set).Diagnostics, "host", "default_host", `no host "wbe"`)
	set["host"] = str("bew")
	diags := o.plan(set).Diagnostics
	wantError(t, diags, "host", `no host "bew"`)
	if strings.Contains(diags.Error(), "default_host") {
		t.Errorf("the default has nothing to do with it: %v", diags)
	}
}
