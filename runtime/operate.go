package runtime

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

// operate calls a method of a resource with its timeout and its locks, and turns a
// panic into an error. The inputs of r have the timeout; the locks depend on all
// receivers.
func (m *managed) operate(ctx context.Context, c *call, op operation, cfg any, r []receiver, method func(ctx context.Context) error) error {
	c.operation = op
	return m.timeouts.within(ctx, c, op, r[0].value, func(ctx context.Context) error {
		ctx = c.context(ctx)
		if m.locks != nil && op != opRead {
			unlock, err := m.lock(ctx, c, cfg, r)
			if err != nil {
				return err
			}
			defer unlock()
		}
		return c.guardPanic(ctx, string(op), func() error { return method(ctx) })
	})
}

// lock takes the locks of a whole operation.
func (m *managed) lock(ctx context.Context, c *call, cfg any, rs []receiver) (unlock func(), err error) {
	var names []string
	err = c.guardPanic(ctx, "Locks", func() error {
		for _, r := range rs {
			names = append(names, m.locks(r, cfg)...)
		}
		return nil
	})
	j := joinedFrom(ctx)
	if err != nil || j == nil || len(names) == 0 {
		return func() {}, err
	}
	unlock, err = j.lock(ctx, names)
	j.whole = names
	return unlock, err
}

// onlyTimeouts reports whether only the timeouts differ. The new value is then stored
// without a call of Update.
func (m *managed) onlyTimeouts(prior, planned cty.Value) bool {
	attr := m.timeouts.attr
	if attr == nil || objchange.Equal(m.attr(prior, attr), m.attr(planned, attr)) {
		return false
	}
	for _, a := range m.attrs {
		if a != attr && !objchange.Equal(m.attr(prior, a), m.attr(planned, a)) {
			return false
		}
	}
	return true
}
