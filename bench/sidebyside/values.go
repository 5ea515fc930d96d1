package sidebyside

import (
	"context"
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
		{"keeps attributes null if an object in a list leaves them unset", unsetInList},
		{"is planned with unknown values", unknowns},
		{"does not use the legacy type system, which is exempt from the rules for plans and results", noExemption},
		{"has a description of each attribute except `id` and `timeouts`", described},
		{"marks the token as sensitive, and no message contains it", secret},
	}
}

func defaults(ctx context.Context, w *world) {
	p := w.planConfig(ctx, attrs{"name": "shop", "root": "/"}, creates)
	want := attrs{"port": 443, "protocol": "https"}
	check(expectValues(p.PlannedState, want))
	check(w.apply(ctx, p))
	check(w.expectState(want))
	// An attribute that is unset again gets its default.
	check(w.applyConfig(ctx, exampleSite()))
	check(w.applyConfig(ctx, exampleSite().with(attrs{"port": nil})))
	check(w.expectState(attrs{"port": 443}))
}

const otherSpelling = `{ "b" : [true], "a" : 1 }`

func equivalent(ctx context.Context, w *world) {
	check(w.applyConfig(ctx, exampleSite()))
	w.planConfig(ctx, exampleSite().with(attrs{"settings": otherSpelling}), doesNothing)
	check(w.expectState(attrs{"settings": exampleSite()["settings"]}))
	// The plan is also empty after another attribute has changed.
	changed := exampleSite().with(attrs{"settings": otherSpelling, "port": 9443})
	check(w.applyConfig(ctx, changed))
	w.planConfig(ctx, changed, doesNothing)
	w.planConfig(ctx, changed.with(attrs{"settings": `{"a": 2}`}), updates)
}

func returnedEquivalent(ctx context.Context, w *world) {
	other := otherSpelling
	check(w.applyConfig(ctx, exampleSite()))
	check(w.sites.Edit(ctx, "shop", func(s *store.Site) { s.Settings = &other }))
	w.planConfig(ctx, exampleSite(), doesNothing)
	check(w.expectState(attrs{"settings": exampleSite()["settings"]}))
}

func lastDigit(ctx context.Context, w *world) {
	check(w.applyConfig(ctx, exampleSite().with(attrs{"settings": `{"n": 9007199254740992}`})))
	w.planConfig(ctx, exampleSite().with(attrs{"settings": `{"n": 9007199254740993}`}), updates)
}

func unsetInList(ctx context.Context, w *world) {
	site := exampleSite().with(attrs{"routes": []attrs{{"path": "/", "backend": "web:80"}}})
	check(w.applyConfig(ctx, site))
	check(w.expectState(attrs{"routes": site["routes"]}))
	w.planConfig(ctx, site, doesNothing)
}

func unknowns(ctx context.Context, w *world) {
	open := exampleSite().with(attrs{"port": unknown, "root": unknown, "routes": unknown, "settings": unknown, "token": unknown})
	p := w.planConfig(ctx, open, creates)
	check(p.expectUnknown("port", "root", "routes", "settings", "token", "url", "revision", "created_at"))
	check(w.applyConfig(ctx, exampleSite()))
	w.planConfig(ctx, open, updates)
}

func secret(ctx context.Context, w *world) {
	if !w.schema.Body.Attributes["token"].Sensitive {
		fail("the schema does not mark the token as sensitive")
	}
	const guess = "hunter2"
	diags := w.validate(ctx, w.config(exampleSite().with(attrs{"token": guess})))
	check(rejectedAt(diags, "token"))
	for _, d := range diags {
		if strings.Contains(d.Summary+d.Detail, guess) {
			fail("the message about an invalid token contains the token: " + strings.ReplaceAll(d.Summary, guess, "…"))
		}
	}
}

func noExemption(ctx context.Context, w *world) {
	check(w.applyConfig(ctx, exampleSite()))
	if w.legacy {
		fail("it uses the legacy type system, for which the client only logs violations")
	}
}

func described(_ context.Context, w *world) {
	if names := undescribed("", w.schema.Body); len(names) > 0 {
		fail(fmt.Sprintf("there is no description of %v", names))
	}
}

// undescribed returns the attributes without a description, except for SDKv2's id and the
// timeouts of the libraries.
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
			names = append(names, undescribed(prefix+name+".", &configschema.Block{Attributes: a.NestedType.Attributes})...)
		}
	}
	for name, b := range block.BlockTypes {
		if name != "timeouts" {
			names = append(names, undescribed(prefix+name+".", &b.Block)...)
		}
	}
	return sorted(names)
}
