package engine

import (
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// inOrder are statements in the order in which they are carried out, each once: what
// moves to where another moves from comes first, a module before what is in it at
// its new place, and after what was in it at its old one.
func inOrder(statements []moveStatement) ([]moveStatement, tfdiags.Diagnostics) {
	g := newGraph()
	of := map[*vertex]moveStatement{}
	vertices := make([]*vertex, len(statements))
	for i, s := range statements {
		vertices[i] = g.add(s.text(s.from)+" to "+s.text(s.to)+" ("+strconv.Itoa(i+1)+")", nil)
		of[vertices[i]] = s
	}
	for i, s := range statements {
		for j, other := range statements {
			if i != j && s.after(other) {
				g.connect(vertices[i], vertices[j])
			}
		}
	}
	if names := g.cycle(); names != nil {
		return nil, tfdiags.Diagnostics{}.Errorf("", "Cyclic dependency in move statements",
			"These statements move objects in a circle, so there is no place where they end:\n  - %s", strings.Join(names, "\n  - "))
	}
	out := make([]moveStatement, 0, len(statements))
	done := map[*vertex]bool{}
	var visit func(v *vertex)
	visit = func(v *vertex) {
		if done[v] {
			return
		}
		done[v] = true
		for _, n := range sortedVertices(v.needs) {
			visit(n)
		}
		out = append(out, of[v])
	}
	for _, v := range g.order {
		visit(v)
	}
	return out, nil
}

// text is an end of the statement as it is seen from the root.
func (s moveStatement) text(end addrs.Target) string { return prefixed(s.module, end.String()) }

// after reports whether the statement has to wait for the other one.
func (s moveStatement) after(other moveStatement) bool {
	from, to, otherFrom, otherTo := s.text(s.from), s.text(s.to), other.text(other.from), other.text(other.to)
	if from == otherTo {
		return true
	}
	if !isInside(otherTo, from) && !isInside(otherTo, to) && !isInside(from, otherFrom) && !isInside(from, otherTo) {
		return false
	}
	// A module that only gets another key has the same name before and after, so what
	// is said of its content fits both: the module goes first.
	return s.depth() >= other.depth() || !s.rekeys()
}

// depth is how deep the module is that the statement's end is in.
func (s moveStatement) depth() int {
	depth := len(s.module) + len(s.to.Module)
	if s.to.Resource == (addrs.Resource{}) {
		depth--
	}
	return depth
}

// rekeys reports whether the statement gives a module another key and no other name.
func (s moveStatement) rekeys() bool {
	return s.from.Resource == (addrs.Resource{}) && s.to.Resource == (addrs.Resource{}) && s.from.Module.Module().Equal(s.to.Module.Module())
}

// isInside reports whether the address is of something in the module.
func isInside(module, address string) bool {
	rest, found := strings.CutPrefix(address, module)
	return found && strings.HasPrefix(module, "module.") && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "["))
}
