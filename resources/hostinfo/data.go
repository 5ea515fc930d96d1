package hostinfo

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup reads facts about a host: its operating system, addresses, memory and mounted file
// systems.
//
// The data source runs one POSIX shell script, and supports Linux with or without
// busybox, macOS and the BSDs. Facts that the host does not report are null or an empty string.
type Lookup struct {
	// Host to read facts from: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string
}

// Output has the facts about a host.
type Output struct {
	Host *string `tf:",computed"`

	// Name of the host, as printed by `uname -n`.
	Hostname string

	// Name of the kernel, such as `Linux`, `Darwin` or `FreeBSD`.
	Kernel string

	// Release of the kernel, such as `6.1.0-18-amd64`.
	KernelRelease string

	// Version of the kernel build, as printed by `uname -v`.
	KernelVersion string

	// Architecture as named by the kernel, such as `x86_64`, `aarch64` or `arm64`.
	Architecture string

	// Fields of os-release(5), such as `ID`, `VERSION_ID` and `PRETTY_NAME`; on macOS the
	// equivalent fields from sw_vers. Null if the host has neither.
	OSRelease map[string]string

	// Machine ID of the installation, from `/etc/machine-id` or
	// `/var/lib/dbus/machine-id`. Null if there is none.
	MachineID *string

	// User the provider runs as on the host.
	User string

	// UID of `user`; 0 is root.
	UserID *int64

	// Home directory of `user`, from the environment variable `HOME`.
	Home string

	// Number of processors that are online.
	Processors *int64

	// Size of the memory in bytes.
	MemoryTotal *int64

	// Size of the swap space in bytes. Null if the host does not report it.
	SwapTotal *int64

	// Addresses of the network interfaces. Null if the host has neither ip nor ifconfig, or
	// if the command prints nothing.
	Addresses []Address

	// Mounted file systems, in the order in which the host lists them.
	Mounts []Mount
}

// Address is an address of a network interface.
type Address struct {
	// Name of the interface, such as `eth0`.
	Interface string

	// IP address.
	Address string

	// Prefix length of the network. Null if the host does not report it.
	PrefixLength *int64

	// Address family: `ipv4` or `ipv6`.
	Family string

	// Scope of the address: `host` (this host only), `link` (one network) or `global`.
	Scope string
}

// Mount is a mounted file system.
type Mount struct {
	// Mounted device, or the equivalent for the type of the file system.
	Device string

	// Mount point.
	Path string

	// Type of the file system, such as `ext4`.
	Type string

	// Mount options.
	Options []string
}

var _ runtime.Constrainer = (*Lookup)(nil)

// Constraints implements [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint { return []runtime.Constraint{address.HostRule()} }

// DataSource returns the registration of the data source type.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *Output, *lifecycle.Hosts]()
}

// Read implements [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *lifecycle.Hosts) (*Output, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	parts, err := runScript(ctx, h)
	if err != nil {
		return nil, err
	}
	out := parts.output()
	out.Host = new(h.Name())
	return out, nil
}
