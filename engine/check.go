package engine

import (
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// evalCheck evaluates a check block: what does not hold is a warning.
func (w *walk) evalCheck(config *configs.Config, check *configs.Check) tfdiags.Diagnostics {
	return eachOf(w.moduleInstances(config), func(inst moduleInstance) tfdiags.Diagnostics {
		address := prefixedInstance(inst.addr, "check."+check.Name)
		return w.scope(inst.addr, config).conditions(conditionsOf{
			kind: "check", object: address, instance: address, summary: "Check block assertion failed", where: check.DeclRange, warn: w.op != validating,
		}, check.Asserts)
	})
}

func prefixedInstance(m addrs.ModuleInstance, name string) string {
	if m.IsRoot() {
		return name
	}
	return m.String() + "." + name
}
