package sysctl

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Sysctl manages a kernel parameter of a Linux host: its current value in
// `/proc/sys`, and its value at boot in a file of its own in `/etc/sysctl.d`.
//
// Every plan detects drift and shows it as `value` for the running kernel and as
// `persisted` for the file. A missing file is created again. An update fails if it
// would replace a value or a file that was changed after the plan was made: a new plan
// shows that change. The file is managed as a whole: other settings in it are drift, and
// the next apply removes them.
//
// On create, the value is set, regardless of the previous value. A file of the same name with
// different settings is an error: import it to see in a plan what would change, or set a
// different `file`. An import reads the file with the default name or, if there is
// none, the last file in `/etc/sysctl.d` that sets only this key. An apply shows a
// warning if a file that is read later sets the key to a different value.
//
// On destroy, the file is removed, and the kernel gets the value from before the
// resource was created, unless the value has changed since the last apply. The parameter
// keeps its value until the next boot if it was imported, if it already had the configured
// value on create, or if the kernel rejects the previous value, as for settings that cannot
// be undone.
//
// The provider must run as root on the host.
type Sysctl struct {
	// Host to set the parameter on: a key of the provider's `hosts`, an alias from the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Key of the parameter, such as `net.ipv4.ip_forward`. As in sysctl(8), dots separate
	// the parts and a slash stands for a dot within a part:
	// `net.ipv4.conf.eth0/100.forwarding`. If the first separator is a slash, the
	// meaning is reversed: `net/ipv4/conf/eth0.100/forwarding`. Both forms name the same key.
	// The key must exist when it is set: load the required kernel module first. The
	// same apply may do that; the plan then warns that the key does not exist yet.
	// Changing this forces a new resource.
	Key string

	// Value of the parameter, as the kernel shows it: `1`, not `0x1`. Tabs and spaces
	// between several values are equivalent.
	Value string

	// Name of the file in `/etc/sysctl.d`. The name must end with `.conf`. Files are read
	// in the order of their names, and the last value of a key takes effect. Defaults to
	// `99-posix-KEY.conf`, with commas instead of slashes in the key; after an import, to
	// the name of the imported file.
	File *string
}

// Output is the state of a managed kernel parameter.
type Output struct {
	Host  *string `tf:",computed"`
	Key   string
	Value string
	File  *string `tf:",computed"`

	// Value in the file, with single spaces. Until the next apply, it differs from `value` if the
	// file or the value of the running kernel was changed by hand. Lists all settings of the file
	// unless its only setting is that of this key.
	Persisted string
}

// Identity identifies a kernel parameter.
type Identity struct {
	// Host of the parameter: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host` on import.
	Host *string
	// Key of the parameter, with dots between its parts.
	Key string
}

var (
	_ runtime.Constrainer                                             = (*Sysctl)(nil)
	_ runtime.InputEquivalencer[Sysctl]                               = (*Sysctl)(nil)
	_ runtime.ResourcePlanModifier[Sysctl, *Output, *lifecycle.Scope] = (*Sysctl)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                         = (*Sysctl)(nil)
	_ runtime.Identifier[Identity, *Output, *lifecycle.Scope]         = (*Sysctl)(nil)
	_ runtime.ImportIDParser[Identity]                                = (*Sysctl)(nil)
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Sysctl, *Output]()
}

// Constraints implements [runtime.Constrainer].
func (*Sysctl) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("key", "", checkKey),
		runtime.Check("value", "must be a single line", checkValue),
		runtime.Check("file", "", checkFile),
	}
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Sysctl) ReplaceFields() []string { return []string{"host", "key"} }

// EquivalentInput implements [runtime.InputEquivalencer].
func (*Sysctl) EquivalentInput(field string, prior, current Sysctl) bool {
	switch field {
	case "key":
		return dotted(prior.Key) == dotted(current.Key)
	case "value":
		return plain(prior.Value) == plain(current.Value)
	}
	return false
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier].
func (*Sysctl) ModifyResourcePlan(req runtime.ResourcePlanRequest[Sysctl, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	if req.PriorOutputs.Persisted != plain(req.CurrentInputs.Value) {
		resp.MarkOutputUnknown("persisted")
	}
	if ctx := req.Context(); runtime.Private(ctx).Get(fileSet) != nil && !runtime.Configured(ctx, "file") {
		resp.MarkOutputUnknown("file")
	}
	return nil
}

// PlanOutputs implements [runtime.OutputPlanner].
func (s *Sysctl) PlanOutputs(_ context.Context, _ *lifecycle.Scope, plan *runtime.OutputPlan) error {
	plan.Set("file", (&Sysctl{Key: s.Key}).fileName()) // has no effect if file is configured or kept
	plan.Set("persisted", plain(s.Value))
	return nil
}

// Identity implements [runtime.Identifier].
func (*Sysctl) Identity(_ *lifecycle.Scope, out *Output) Identity {
	return Identity{Host: out.Host, Key: dotted(out.Key)}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Sysctl) ParseImportID(id string) (Identity, error) {
	named, err := address.ParseNamed(id, checkKey)
	if err != nil {
		return Identity{}, fmt.Errorf("must be a key, such as net.ipv4.ip_forward, or a host and a key, such as local:net.ipv4.ip_forward: %w", err)
	}
	return Identity{Host: named.Host, Key: dotted(named.Name)}, nil
}

// key returns the key of the object for locks and adoption.
func (s *Sysctl) key() address.Path { return lifecycle.NameKey("sysctl", dotted(s.Key)) }
