package sidebyside

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
	"github.com/posixform/terraform-provider-posix/configschema"
)

func valueScenarios() []Scenario {
	return []Scenario{
		{"plans defaults", defaults},
		{"plans no change for equivalent JSON in the configuration", equivalent},
		{"keeps the configured JSON if the service returns equivalent JSON", returnedEquivalent},
		{"plans a change of the last digit of a number in JSON", lastDigit},
		{"keeps attributes null that an object in a list leaves unset", unsetInList},
		{"is planned with unknown values", unknowns},
		{"does not use the legacy type system, which is exempt from the rules for plans and results", noExemption},
		{"has a description of each attribute", described},
		{"marks the token as sensitive, and no message contains it", secret},
	}
}

func defaults(ctx context.Context, w *world) error {
	p, err := w.planned(ctx, attrs{"name": "shop", "root": "/"}, creates)
	if err != nil {
		return err
	}
	want := attrs{"port": 443, "protocol": "https"}
	return steps(
		func() error { return expectValues(p.PlannedState, want) },
		func() error { return w.apply(ctx, p) },
		func() error { return w.expectState(want) },
		// Unset again, they have the defaults again.
		func() error { return w.made(ctx, shop()) },
		func() error { return w.made(ctx, shop().with(attrs{"port": nil})) },
		func() error { return w.expectState(attrs{"port": 443}) },
	)
}

const otherSpelling = `{ "b" : [true], "a" : 1 }`

func equivalent(ctx context.Context, w *world) error {
	return steps(
		func() error { return w.made(ctx, shop()) },
		func() error {
			_, err := w.planned(ctx, shop().with(attrs{"settings": otherSpelling}), doesNothing)
			return err
		},
		func() error { return w.expectState(attrs{"settings": shop()["settings"]}) },
		// Together with a real change it does no harm.
		func() error {
			return w.made(ctx, shop().with(attrs{"settings": otherSpelling, "port": 9443}))
		},
		func() error {
			_, err := w.planned(ctx, shop().with(attrs{"settings": otherSpelling, "port": 9443}), doesNothing)
			return err
		},
		func() error {
			_, err := w.planned(ctx, shop().with(attrs{"settings": `{"a": 2}`, "port": 9443}), updates)
			return err
		},
	)
}

func returnedEquivalent(ctx context.Context, w *world) error {
	other := otherSpelling
	return steps(
		func() error { return w.made(ctx, shop()) },
		func() error { return w.sites.Edit(ctx, "shop", func(s *store.Site) { s.Settings = &other }) },
		func() error { _, err := w.planned(ctx, shop(), doesNothing); return err },
		func() error { return w.expectState(attrs{"settings": shop()["settings"]}) },
	)
}

func lastDigit(ctx context.Context, w *world) error {
	return steps(
		func() error {
			return w.made(ctx, shop().with(attrs{"settings": `{"n": 9007199254740992}`}))
		},
		func() error {
			_, err := w.planned(ctx, shop().with(attrs{"settings": `{"n": 9007199254740993}`}), updates)
			return err
		},
	)
}

func unsetInList(ctx context.Context, w *world) error {
	site := shop().with(attrs{"routes": []attrs{{"path": "/", "backend": "web:80"}}})
	return steps(
		func() error { return w.made(ctx, site) },
		func() error { return w.expectState(attrs{"routes": site["routes"]}) },
		func() error { _, err := w.planned(ctx, site, doesNothing); return err },
	)
}

func unknowns(ctx context.Context, w *world) error {
	open := shop().with(attrs{"port": unknown, "root": unknown, "routes": unknown, "settings": unknown, "token": unknown})
	p, err := w.planned(ctx, open, creates)
	if err != nil {
		return err
	}
	return steps(
		func() error {
			return p.expectUnknown("port", "root", "routes", "settings", "token", "url", "revision", "created_at")
		},
		func() error { return w.made(ctx, shop()) },
		func() error { _, err := w.planned(ctx, open, updates); return err },
	)
}

func secret(ctx context.Context, w *world) error {
	if !w.schema.Body.Attributes["token"].Sensitive {
		return errors.New("the schema does not mark it as sensitive")
	}
	const guess = "hunter2"
	diags := w.validate(ctx, w.config(shop().with(attrs{"token": guess})))
	if err := refusedAt(diags, "token"); err != nil {
		return err
	}
	for _, d := range diags {
		if strings.Contains(d.Summary+d.Detail, guess) {
			return fmt.Errorf("the message about an invalid token contains it: %s", strings.ReplaceAll(d.Summary, guess, "…"))
		}
	}
	return nil
}

func noExemption(ctx context.Context, w *world) error {
	if err := w.made(ctx, shop()); err != nil {
		return err
	}
	if w.legacy {
		return errors.New("it uses the legacy type system, for which the client only logs violations")
	}
	return nil
}

func described(_ context.Context, w *world) error {
	names := undescribed("", w.schema.Body)
	if len(names) > 0 {
		return fmt.Errorf("there is no description of %v", names)
	}
	return nil
}

// undescribed names the attributes that have no description. The id is SDKv2's
// own, and timeouts are each library's.
func undescribed(prefix string, block *configschema.Block) []string {
	var names []string
	for name, a := range block.Attributes {
		if name == "id" || name == "timeouts" {
			continue
		}
		if a.Description == "" {
			names = append(names, prefix+name)
		}
		if a.NestedType != nil {
			names = append(names, undescribed(name+".", &configschema.Block{Attributes: a.NestedType.Attributes})...)
		}
	}
	for name, b := range block.BlockTypes {
		if name != "timeouts" {
			names = append(names, undescribed(name+".", &b.Block)...)
		}
	}
	return sorted(names)
}
