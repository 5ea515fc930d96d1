package runtime

import (
	"context"

	"github.com/zclconf/go-cty/cty"
)

// Replacer says which changes need a new object, where that depends on the
// object: whether it can be updated in place at all, say. Field is the name of an
// input that changes, or of an output that has drifted and that nothing keeps as
// it is. True adds to ReplaceFields.
//
// It is asked while inputs are not known too, as clients refuse an apply that
// replaces what was planned to be updated: those of current then have their zero
// value. An input of which the answer depends is best a [Value].
type Replacer[In any] interface {
	ReplaceOn(field string, prior, current In) bool
}

// replacements are the paths of what changes and needs a new object.
func (p *planning) replacements(ctx context.Context, marked map[string]bool) ([]cty.Path, error) {
	var paths []cty.Path
	for _, a := range p.changed {
		replace := a.replace || marked[a.name]
		if !replace {
			var err error
			if replace, err = p.replaceOn(ctx, a); err != nil {
				return nil, err
			}
		}
		if replace {
			paths = append(paths, a.path())
		}
	}
	for _, a := range p.drifted {
		if !p.unknown[a.name] {
			continue // it is kept
		}
		replace, err := p.replaceOn(ctx, a)
		if err != nil {
			return nil, err
		}
		if replace {
			paths = append(paths, a.path())
		}
	}
	return paths, nil
}

func (p *planning) replaceOn(ctx context.Context, a *attribute) (replace bool, err error) {
	if p.m.replaceOn == nil {
		return false, nil
	}
	if err := p.decode(); err != nil {
		return false, err
	}
	err = p.c.guardPanic(ctx, "ReplaceOn", func() error {
		replace = p.m.replaceOn(p.current, a.name, p.prior, p.current)
		return nil
	})
	return replace, err
}
