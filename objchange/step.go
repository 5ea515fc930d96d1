package objchange

import (
	"github.com/zclconf/go-cty/cty"
)

// step is one step of a path that exists on the stack only: a list from the
// innermost step outwards, nil at the root. A [cty.Path] is built from it when
// there is something to report.
type step struct {
	outer *step
	// key is the key of an index step; NilVal makes it an attribute step.
	key  cty.Value
	name string
}

func (s *step) path() cty.Path {
	n := 0
	for at := s; at != nil; at = at.outer {
		n++
	}
	path := make(cty.Path, n)
	for at := s; at != nil; at = at.outer {
		n--
		if at.key == cty.NilVal {
			path[n] = cty.GetAttrStep{Name: at.name}
		} else {
			path[n] = cty.IndexStep{Key: at.key}
		}
	}
	return path
}
