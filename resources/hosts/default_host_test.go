package hosts_test

import (
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestInvalidDefaultHost checks that the error about an invalid host names the attribute
// default_host only if the host is the default one.
func TestInvalidDefaultHost(t *testing.T) {
	t.Parallel()
	f := newFleet(t, &resourcetest.RemoteHosts{}, attrs{"default_host": str("wbe"), "ssh_config": str("none")}, map[string]attrs{"web": {}})
	o := resourcetest.NewObject(t, f, "posix_symlink")
	set := attrs{"path": str("/a"), "target": str("b")}
	resourcetest.WantError(t, o.Plan(set).Diagnostics, "host", "default_host", `no host "wbe"`)
	set["host"] = str("bew")
	diags := o.Plan(set).Diagnostics
	resourcetest.WantError(t, diags, "host", `no host "bew"`)
	if strings.Contains(diags.Error(), "default_host") {
		t.Errorf("the error about the attribute host mentions default_host: %v", diags)
	}
}
