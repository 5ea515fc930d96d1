package hostinfo

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup tells what a host says of itself: its system, its addresses, its memory
// and what is mounted. It takes one command of a POSIX shell, and works on Linux
// with or without busybox, on macOS and on the BSDs; what a system does not tell is
// null.
type Lookup struct {
	// The host: a name in the provider's `hosts`, an alias in the SSH configuration,
	// or a destination such as `root@192.0.2.7:22`. When unset, it is the provider's
	// `default_host`, which is `local` by default.
	Host *string
}

// Output is what a host says of itself.
type Output struct {
	Host *string `tf:",computed"`

	// The name that the machine has for itself, as `uname -n` says it.
	Hostname string

	// The name of the kernel, such as `Linux`, `Darwin` or `FreeBSD`.
	Kernel string

	// The release of the kernel, such as `6.1.0-18-amd64`.
	KernelRelease string

	// The version of the kernel: what was built, and when.
	KernelVersion string

	// The architecture, in the kernel's own word, such as `x86_64`, `aarch64` or
	// `arm64`.
	Architecture string

	// The fields of os-release(5), such as `ID`, `VERSION_ID` and `PRETTY_NAME`; on
	// macOS the same of what sw_vers says. Null where there is neither.
	OSRelease map[string]string

	// The id of this installation, as in /etc/machine-id. Null where there is none.
	MachineID *string

	// The user whom the provider works as.
	User string

	// The number of that user; 0 is root.
	UserID *int64

	// The home directory of that user.
	Home string

	// How many processors are online.
	Processors *int64

	// The size of the memory in bytes.
	MemoryTotal *int64

	// The size of the swap space in bytes. Null where it is not told.
	SwapTotal *int64

	// The addresses of the network interfaces. Null where there is neither ip nor
	// ifconfig.
	Addresses []Address

	// What is mounted, in that order.
	Mounts []Mount
}

// Address is an address of a network interface.
type Address struct {
	// The name of the interface, such as `eth0`.
	Interface string

	// The address.
	Address string

	// How many of its bits are the network's. Null where that is not told.
	PrefixLength *int64

	// `ipv4` or `ipv6`.
	Family string

	// How far the address reaches: `host` for those of the machine itself, `link` for
	// those of one network, or `global`.
	Scope string
}

// Mount is a file system that is mounted.
type Mount struct {
	// What is mounted: a device, or whatever the type has in its place.
	Device string

	// The directory where it is mounted.
	Path string

	// The type of the file system, such as `ext4`.
	Type string

	// The options that it is mounted with.
	Options []string
}

var (
	_ runtime.TypedDataSource[*Output, *target.Hosts] = (*Lookup)(nil)
	_ runtime.Constrainer                             = (*Lookup)(nil)
)

// Constraints is part of [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint { return []runtime.Constraint{target.HostRule()} }

// DataSource is the registration of the data source type.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *Output, *target.Hosts]()
}

// Read is part of [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *target.Hosts) (*Output, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	parts, err := ask(ctx, h)
	if err != nil {
		return nil, err
	}
	out := parts.output()
	out.Host = new(h.Name())
	return out, nil
}
