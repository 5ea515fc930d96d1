package planjson

import (
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// checks shows the outcome of conditions, instances under their objects.
func checks(all []plans.CheckResult) []tfjson.CheckResultStatic {
	var out []tfjson.CheckResultStatic
	for _, c := range all {
		if len(out) == 0 || out[len(out)-1].Address.ToDisplay != c.Object {
			out = append(out, tfjson.CheckResultStatic{Address: checkAddress(c), Status: tfjson.CheckStatusPass})
		}
		object := &out[len(out)-1]
		instance := tfjson.CheckResultDynamic{Address: instanceAddress(c), Status: tfjson.CheckStatus(c.Status)}
		for _, problem := range c.Problems {
			instance.Problems = append(instance.Problems, tfjson.CheckResultProblem{Message: problem})
		}
		object.Instances = append(object.Instances, instance)
		object.Status = worst(object.Status, instance.Status)
	}
	return out
}

func worst(a, b tfjson.CheckStatus) tfjson.CheckStatus {
	order := []tfjson.CheckStatus{tfjson.CheckStatusPass, tfjson.CheckStatusUnknown, tfjson.CheckStatusFail, tfjson.CheckStatusError}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// checkAddress is the object that the conditions are of.
func checkAddress(c plans.CheckResult) tfjson.CheckStaticAddress {
	out := tfjson.CheckStaticAddress{ToDisplay: c.Object, Kind: tfjson.CheckKind(c.Kind)}
	if r, err := addrs.ParseConfigResourceStr(c.Object); c.Kind == "resource" && err == nil {
		out.Module, out.Mode, out.Type, out.Name = r.Module.String(), mode(r.Resource.Mode), r.Resource.Type, r.Resource.Name
		return out
	}
	// "check.name", "output.name", "var.name", perhaps in a module.
	kindAt := strings.LastIndexByte(c.Object[:strings.LastIndexByte(c.Object, '.')], '.')
	out.Module, out.Name = c.Object[:max(kindAt, 0)], c.Object[strings.LastIndexByte(c.Object, '.')+1:]
	return out
}

// instanceAddress is the instance that the conditions are of.
func instanceAddress(c plans.CheckResult) tfjson.CheckDynamicAddress {
	out := tfjson.CheckDynamicAddress{ToDisplay: c.Instance}
	if r, err := addrs.ParseAbsResourceInstanceStr(c.Instance); c.Kind == "resource" && err == nil {
		out.Module, out.InstanceKey = r.Module.String(), index(r.Resource.Key)
	}
	return out
}
