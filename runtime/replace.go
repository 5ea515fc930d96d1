package runtime

import (
	"context"

	"github.com/zclconf/go-cty/cty"
)

// Replacer reports which changes need a new object, if that depends on the object,
// for example on whether it can be updated in place. Field is the name of an input
// that changes, or of an output that has drifted and is not kept. The fields for
// which it returns true are added to ReplaceFields.
//
// It is also called while inputs are unknown, because clients refuse an apply that
// replaces an object that was planned to be updated: unknown inputs of current then
// have their zero value. An input on which the result depends should be a [Value].
type Replacer[In any] interface {
	ReplaceOn(field string, prior, current In) bool
}

// replacements returns the paths of the changes that need a new object.
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
