package sidebyside

import (
	"context"
	"time"
)

// brief is a configuration with short timeouts.
func brief() attrs {
	return shop().with(attrs{"timeouts": attrs{"create": "50ms", "update": "50ms", "delete": "50ms"}})
}

// locked calls f while the site is locked by another client.
func (w *world) locked(f func() error) error {
	unlock, err := w.sites.Lock("shop")
	check(err)
	err = f()
	check(unlock())
	return err
}

func timeouts(ctx context.Context, w *world) {
	_, attr := w.schema.Body.Attributes["timeouts"]
	_, block := w.schema.Body.BlockTypes["timeouts"]
	if !attr && !block {
		fail("there are no timeouts to configure")
	}
	for _, operation := range []struct {
		name string
		run  func() error
	}{
		{"create", func() error { return w.made(ctx, brief()) }},
		{"update", func() error { return w.made(ctx, brief().with(attrs{"port": 1})) }},
		{"delete", func() error { return w.destroy(ctx, w.private) }},
	} {
		begin := time.Now()
		err := w.locked(operation.run)
		if time.Since(begin) > maxWait/2 {
			fail(operation.name + " does not stop at the timeout")
		}
		if err == nil {
			fail(operation.name + " did not wait")
		}
		if operation.name != "update" {
			check(operation.run())
		}
	}
}

func failedUpdate(ctx context.Context, w *world) {
	check(w.made(ctx, brief()))
	changed := brief().with(attrs{"port": 9443})
	if err := w.locked(func() error { return w.made(ctx, changed) }); err == nil {
		fail("the update did not fail")
	}
	check(w.expectState(shop()))
	w.planned(ctx, changed, updates)
}
