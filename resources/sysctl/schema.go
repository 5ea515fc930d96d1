package sysctl

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Sysctl manages a setting of the Linux kernel: its value now, in /proc/sys, and the
// one that it gets when the host starts, in a file of its own in /etc/sysctl.d.
//
// A change made by hand shows in the next plan: as `value` that of the running
// kernel, as `persisted` that of the file. A file that is gone is created again. The
// file is managed as a whole; what else is written there is removed.
//
// Creating the resource sets the value, whatever it was. A file of the same name with
// something else in it is an error; import it, so that a plan shows what would change.
// A warning says so where a file that is read later sets the key to another value.
// Destroying the resource removes the file, and gives the kernel the value that it
// had before the resource was created, if it still has ours; one that was imported, or
// had this value already, keeps it until the host starts again.
type Sysctl struct {
	// The host whose kernel it is: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default. Changing it makes a
	// new object.
	Host *string

	// The key, as `net.ipv4.ip_forward`. As sysctl(8) has it, dots separate the parts, and
	// a slash is then a dot in one of them: `net.ipv4.conf.eth0/100.forwarding`. Where a
	// slash comes first, it is the other way round: `net/ipv4/conf/eth0.100/forwarding`. The
	// two are one key. It has to exist when it is set: load the kernel module that brings it
	// first, which the same run may do; the plan then warns that it is not there yet.
	// Changing it makes a new object.
	Key string

	// The value. What separates several of them does not matter: the tabs of
	// `4096	131072	6291456` are as good as spaces. It has to be as the kernel shows
	// it, `1` and not `0x1`.
	Value string

	// The name of the file in /etc/sysctl.d, which ends with `.conf`. Files are read in the
	// order of their names, and of several that set a key the last one counts. The
	// default is `99-posix-KEY.conf`, with a comma for a slash in the key.
	File *string
}

// Output is what is known of a setting that is managed.
type Output struct {
	Host  *string `tf:",computed"`
	Key   string
	Value string
	File  *string `tf:",computed"`

	// The value in the file, with single spaces. It differs from `value` where the file was
	// changed by hand, until the next apply; where the file then sets other keys too, it
	// is all that it sets.
	Persisted string
}

// Identity tells one setting from another.
type Identity struct {
	// The host: a name in the provider's configuration, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. For import it can
	// be left out; it is then the provider's default host.
	Host *string
	// The key, with dots between its parts.
	Key string
}

var (
	_ runtime.TypedResource[Sysctl, *Output, *target.Hosts]        = (*Sysctl)(nil)
	_ runtime.Constrainer                                          = (*Sysctl)(nil)
	_ runtime.InputValidator[*target.Hosts]                        = (*Sysctl)(nil)
	_ runtime.InputEquivalencer[Sysctl]                            = (*Sysctl)(nil)
	_ runtime.ResourcePlanModifier[Sysctl, *Output, *target.Hosts] = (*Sysctl)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                         = (*Sysctl)(nil)
	_ runtime.Identifier[Identity, *Output, *target.Hosts]         = (*Sysctl)(nil)
	_ runtime.ImportIDParser[Identity]                             = (*Sysctl)(nil)
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Sysctl, *Output, *target.Hosts]()
}

// Constraints is part of [runtime.Constrainer].
func (*Sysctl) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("key", "", checkKey),
		runtime.Check("value", "must be a single line", checkValue),
		runtime.Check("file", "", checkFile),
	}
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Sysctl) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Sysctl) ReplaceFields() []string { return []string{"host", "key"} }

// EquivalentInput is part of [runtime.InputEquivalencer].
func (*Sysctl) EquivalentInput(_ context.Context, field string, prior, current Sysctl) bool {
	switch field {
	case "key":
		return dotted(prior.Key) == dotted(current.Key)
	case "value":
		return plain(prior.Value) == plain(current.Value)
	}
	return false
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier].
func (*Sysctl) ModifyResourcePlan(req runtime.ResourcePlanRequest[Sysctl, *Output, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.place())
	if req.PriorOutputs.Persisted != plain(req.CurrentInputs.Value) {
		resp.MarkOutputUnknown("persisted")
	}
	return nil
}

// PlanOutputs is part of [runtime.OutputPlanner].
func (s *Sysctl) PlanOutputs(_ context.Context, hosts *target.Hosts, plan *runtime.OutputPlan) error {
	h, err := hosts.Find(s.Host)
	if err != nil {
		return err
	}
	plan.Set("host", h.Name())
	plan.Set("file", s.fileName())
	plan.Set("persisted", plain(s.Value))
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Sysctl) Identity(_ *target.Hosts, out *Output) Identity {
	return Identity{Host: out.Host, Key: dotted(out.Key)}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Sysctl) ParseImportID(id string) (Identity, error) {
	named, err := target.ParseNamed(id, checkKey)
	if err != nil {
		return Identity{}, fmt.Errorf("the id of a setting is its key, as net.ipv4.ip_forward, or the host and the key: %w", err)
	}
	return Identity{Host: named.Host, Key: dotted(named.Name)}, nil
}

// place is where the object is, for all who plan and apply it.
func (s *Sysctl) place() target.Path { return target.Name("sysctl", dotted(s.Key)) }
