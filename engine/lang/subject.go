package lang

import (
	"fmt"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Referenceable is what an expression can refer to, relative to its module. The
// values are comparable. They are: [addrs.Resource] for a resource without a
// key, [addrs.ResourceInstance] for one with a key, [addrs.InputVariable],
// [addrs.LocalValue], [addrs.ModuleCall] for a call as a whole, and the types of
// this file.
type Referenceable interface{ fmt.Stringer }

// ModuleCallOutput is one output of one instance of a module call.
type ModuleCallOutput struct {
	Call addrs.ModuleCall
	Key  addrs.InstanceKey
	Name string
}

// String is `module.call["key"].name`.
func (o ModuleCallOutput) String() string {
	return o.Call.String() + addrs.KeyString(o.Key) + "." + o.Name
}

// PathAttr is a folder: "module", "root" or "cwd".
type PathAttr struct{ Name string }

// String is "path.name".
func (a PathAttr) String() string { return "path." + a.Name }

// TerraformAttr is "workspace" of terraform or tofu.
type TerraformAttr struct {
	Name string
	// Alias is the name that was written: "terraform" or "tofu".
	Alias string
}

// String is "terraform.name" or "tofu.name".
func (a TerraformAttr) String() string { return a.Alias + "." + a.Name }

// CountAttr is "index".
type CountAttr struct{ Name string }

// String is "count.name".
func (a CountAttr) String() string { return "count." + a.Name }

// EachAttr is "key" or "value".
type EachAttr struct{ Name string }

// String is "each.name".
func (a EachAttr) String() string { return "each." + a.Name }

// SelfAddr is the object that an expression belongs to.
type SelfAddr struct{}

// String is "self".
func (SelfAddr) String() string { return "self" }
