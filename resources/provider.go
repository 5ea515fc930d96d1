package resources

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/account"
	"github.com/posixform/terraform-provider-posix/resources/actions"
	"github.com/posixform/terraform-provider-posix/resources/block"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/resources/cron"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/directorylist"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/filecontent"
	"github.com/posixform/terraform-provider-posix/resources/functions"
	"github.com/posixform/terraform-provider-posix/resources/hostinfo"
	"github.com/posixform/terraform-provider-posix/resources/hostname"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/mount"
	"github.com/posixform/terraform-provider-posix/resources/packages"
	"github.com/posixform/terraform-provider-posix/resources/service"
	"github.com/posixform/terraform-provider-posix/resources/sshkey"
	"github.com/posixform/terraform-provider-posix/resources/sudoers"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/resources/sysctl"
	"github.com/posixform/terraform-provider-posix/resources/tree"
	"github.com/posixform/terraform-provider-posix/resources/tunnel"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// New returns the provider, or an error for mistakes in its types. The error names version, the
// release of the provider.
func New(version string) (provider.Interface, error) {
	p, err := build(func(block *hosts.Provider) (*lifecycle.Hosts, error) {
		return hosts.New(block, hosts.Backends{
			Local: local.New, Remote: func(o sshhost.Options) (host.Host, error) { return sshhost.New(o) },
		}), nil
	})
	if err != nil {
		return nil, fmt.Errorf("posix provider %s: %w", version, err)
	}
	return p, nil
}

// build returns a provider. It calls configure with the provider's configuration to get
// the hosts.
func build(configure func(*hosts.Provider) (*lifecycle.Hosts, error)) (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "posix",
		Config: runtime.MakeConfig(func(_ context.Context, block *hosts.Provider) (*lifecycle.Hosts, error) {
			return configure(block)
		}),
		Resources: map[string]runtime.ResourceRegistration{
			"authorized_key":     sshkey.Resource(),
			"command":            command.Resource(),
			"cron":               cron.Resource(),
			"directory":          directory.Resource(),
			"file":               file.Resource(),
			"file_block":         block.Resource(),
			"group":              account.GroupResource(),
			"hostname":           hostname.Resource(),
			"mount":              mount.Resource(),
			"package":            packages.Resource(),
			"package_repository": packages.RepositoryResource(),
			"service":            service.Resource(),
			"sudoers":            sudoers.Resource(),
			"symlink":            symlink.Resource(),
			"sysctl":             sysctl.Resource(),
			"systemd_unit":       service.UnitResource(),
			"tree":               tree.Resource(),
			"user":               account.UserResource(),
		},
		DataSources: map[string]runtime.DataSourceRegistration{
			"command":   command.DataSource(),
			"directory": directorylist.DataSource(),
			"file":      filecontent.DataSource(),
			"host":      hostinfo.DataSource(),
			"packages":  packages.DataSource(),
			"services":  service.DataSource(),
			"user":      account.UserDataSource(),
		},
		EphemeralResources: map[string]runtime.EphemeralRegistration{
			"command": command.EphemeralResource(),
			"file":    filecontent.EphemeralResource(),
			"tunnel":  tunnel.EphemeralResource(),
		},
		Lists: map[string]runtime.ListRegistration{
			"directory": directorylist.Directories(),
			"file":      directorylist.Files(),
			"group":     account.GroupLister(),
			"package":   packages.Lister(),
			"service":   service.Lister(),
			"user":      account.UserLister(),
		},
		Actions: map[string]runtime.ActionRegistration{
			"command":         command.ActionType(),
			"reboot":          actions.RebootAction(),
			"service_restart": service.Action(),
			"wait":            actions.WaitAction(),
		},
		Functions: functions.All(),
	})
}
