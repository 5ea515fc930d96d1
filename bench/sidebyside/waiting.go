package sidebyside

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// brief is a configuration in which nothing may take longer than a moment.
func brief() attrs {
	return shop().with(attrs{"timeouts": attrs{"create": "50ms", "update": "50ms", "delete": "50ms"}})
}

func timeouts(ctx context.Context, w *world) error {
	inTime := func(operation string, f func() error) error {
		unlock, err := w.sites.Lock("shop")
		if err != nil {
			return err
		}
		begin := time.Now()
		err = f()
		if took := time.Since(begin); took > patience/2 {
			return fmt.Errorf("%s does not stop at the timeout", operation)
		}
		if err == nil {
			return fmt.Errorf("%s did not wait", operation)
		}
		return unlock()
	}
	return steps(
		func() error {
			_, attr := w.schema.Body.Attributes["timeouts"]
			_, block := w.schema.Body.BlockTypes["timeouts"]
			if !attr && !block {
				return errors.New("there are no timeouts to configure")
			}
			return nil
		},
		func() error {
			return inTime("create", func() error { return w.made(ctx, brief()) })
		},
		func() error { return w.made(ctx, brief()) },
		func() error {
			return inTime("update", func() error { return w.made(ctx, brief().with(attrs{"port": 1})) })
		},
		func() error {
			return inTime("delete", func() error { return w.destroy(ctx, w.private) })
		},
		func() error { return w.destroy(ctx, w.private) },
	)
}

func failedUpdate(ctx context.Context, w *world) error {
	if err := w.made(ctx, brief()); err != nil {
		return err
	}
	unlock, err := w.sites.Lock("shop")
	if err != nil {
		return err
	}
	if err := w.made(ctx, brief().with(attrs{"port": 9443})); err == nil {
		return errors.New("the update did not fail")
	}
	return steps(
		unlock,
		func() error { return w.expectState(shop()) },
		func() error { _, err := w.planned(ctx, brief().with(attrs{"port": 9443}), updates); return err },
	)
}
