package runtime

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// overlay returns planned with the write-only attributes of the configuration, or with null
// ones if config is NilVal. If config is null or unknown, it returns planned unchanged.
func (n *node) overlay(planned, config cty.Value) cty.Value {
	if !n.hasWriteOnly || !usable(planned) || config != cty.NilVal && !usable(config) {
		return planned
	}
	strip := config == cty.NilVal
	part := func(of func() cty.Value) cty.Value {
		if strip {
			return cty.NilVal
		}
		return of()
	}
	inner := n.innermost()
	switch inner.kind { //nolint:exhaustive // of kinds that contain objects; sets cannot have write-only attributes
	case kindObject:
		attrs := planned.AsValueMap()
		for _, f := range inner.fields {
			from := part(func() cty.Value { return config.GetAttr(f.name) })
			switch {
			case f.writeOnly && strip:
				attrs[f.name] = f.node.null
			case f.writeOnly:
				attrs[f.name] = from
			default:
				attrs[f.name] = f.node.overlay(attrs[f.name], from)
			}
		}
		return cty.ObjectVal(attrs)
	case kindList:
		elems := wire.Elements(planned)
		if len(elems) == 0 {
			return planned
		}
		from := make([]cty.Value, len(elems)) // the configured elements, or NilVal for those that are not configured
		if !strip {
			inner.elem.findConfigured(from, elems, wire.Elements(config))
		}
		for i := range elems {
			elems[i] = inner.elem.overlay(elems[i], from[i])
		}
		return cty.ListVal(elems)
	default:
		elems := planned.AsValueMap()
		if len(elems) == 0 {
			return planned
		}
		for key, e := range elems {
			elems[key] = inner.elem.overlay(e, part(func() cty.Value {
				if k := cty.StringVal(key); config.HasIndex(k).True() {
					return config.Index(k)
				}
				return cty.NilVal // no longer configured
			}))
		}
		return cty.MapVal(elems)
	}
}

// findConfigured sets each element of found to the element of config that the element of
// planned at the same index was planned from, and leaves it unchanged if there is none. It uses
// each element of config at most once.
// The indexes are equal unless a client ignores changes of the list: the client then plans
// the prior list, but applies with the changed configuration. No element may get the secret
// of a different element, so elements that differ are matched by position only in lists of
// the same length.
func (n *node) findConfigured(found, planned, config []cty.Value) {
	taken := make([]bool, len(config))
	take := func(i, at int) {
		found[i], taken[at] = config[at], true
	}
	fits := func(i, at int) bool { return !taken[at] && n.matchesPrior(config[at], planned[i]) }
	var open []int
	for i := range planned {
		if i < len(config) && fits(i, i) {
			take(i, i)
		} else {
			open = append(open, i)
		}
	}
	for _, i := range open {
		for at := range config {
			if fits(i, at) {
				take(i, at)
				break
			}
		}
	}
	for _, i := range open {
		if found[i] == cty.NilVal && len(planned) == len(config) && !taken[i] {
			take(i, i)
		}
	}
}
