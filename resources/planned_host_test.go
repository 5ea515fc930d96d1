package resources_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// TestPlannedHost checks that the plan of a create has the default host, for every type. The
// host is not reachable yet.
func TestPlannedHost(t *testing.T) {
	t.Parallel()
	p := resourcetest.Configured(t, func() (provider.Interface, error) {
		return resources.Build(func() (host.Host, error) { return lifecycle.NewPending("later", "address"), nil })
	})
	str := cty.StringVal
	configs := map[string]resourcetest.Attrs{
		"posix_authorized_key":     {"user": str("a"), "key": str("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIiZwLnTaVYxf6UhwKkdMwkG1gSzRkzmFmFMhcpZ3Hsm")},
		"posix_command":            {"create": str("true"), "delete": str("true")},
		"posix_cron":               {"name": str("a"), "schedule": str("@daily"), "user": str("root"), "command": str("true")},
		"posix_directory":          {"path": str("/a")},
		"posix_file":               {"path": str("/a"), "content": str("")},
		"posix_file_block":         {"path": str("/a"), "name": str("a"), "content": str("")},
		"posix_group":              {"name": str("a")},
		"posix_hostname":           {"name": str("a")},
		"posix_mount":              {"path": str("/mnt"), "source": str("/dev/sdb1"), "type": str("ext4")},
		"posix_package":            {"name": str("a")},
		"posix_package_repository": {"name": str("a"), "manager": str("dnf"), "uris": cty.ListVal([]cty.Value{str("https://packages.example.com")}), "trusted": cty.True},
		"posix_service":            {"name": str("a"), "running": cty.True},
		"posix_sudoers":            {"name": str("a"), "content": str("")},
		"posix_symlink":            {"path": str("/a"), "target": str("b")},
		"posix_sysctl":             {"key": str("a.b"), "value": str("1")},
		"posix_systemd_unit":       {"name": str("a.service"), "content": str("[Unit]\n")},
		"posix_tree":               {"path": str("/a"), "source": str(t.TempDir())},
		"posix_user":               {"name": str("a")},
	}
	for typeName := range p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes {
		config, ok := configs[typeName]
		if !ok {
			t.Errorf("no configuration of %s", typeName)
			continue
		}
		plan := resourcetest.NewObject(t, p, typeName).Plan(config)
		resourcetest.NoErrors(t, plan.Diagnostics)
		if got := plan.PlannedState.GetAttr("host"); !got.RawEquals(str("later")) {
			t.Errorf("%s: planned host %#v", typeName, got)
		}
	}
}
