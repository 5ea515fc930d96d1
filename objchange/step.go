package objchange

import "github.com/zclconf/go-cty/cty"

// step is one step of a path: an attribute step, or an index step if it has a
// key.
type step struct {
	name string
	key  cty.Value
}

// steps is the path of the current value, as a stack. It is converted to a
// [cty.Path] only for a violation, so that checking a valid value allocates
// nothing.
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
