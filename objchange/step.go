package objchange

import "github.com/zclconf/go-cty/cty"

// step is one step of the way to the value that is judged: an attribute step, or
// with a key an index step.
type step struct {
	name string
	key  cty.Value
}

// steps is that way, as a stack. It becomes a [cty.Path] only when there is
// something to report, and the outer steps are held in place, so that judging
// what is right allocates nothing.
type steps struct {
	outer [8]step
	inner []step
	depth int
}

func (s *steps) push(next step) {
	if s.depth < len(s.outer) {
		s.outer[s.depth] = next
	} else {
		s.inner = append(s.inner, next)
	}
	s.depth++
}

func (s *steps) pop() {
	s.depth--
	if s.depth >= len(s.outer) {
		s.inner = s.inner[:len(s.inner)-1]
	}
}

func (s *steps) path() cty.Path {
	path := make(cty.Path, s.depth)
	for i := range path {
		var at step
		if i < len(s.outer) {
			at = s.outer[i]
		} else {
			at = s.inner[i-len(s.outer)]
		}
		if at.key == cty.NilVal {
			path[i] = cty.GetAttrStep{Name: at.name}
		} else {
			path[i] = cty.IndexStep{Key: at.key}
		}
	}
	return path
}
