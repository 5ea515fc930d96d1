package sidebyside

import (
	"context"
	"strings"
)

func validationScenarios() []Scenario {
	routes := func(changes attrs) attrs {
		return attrs{"routes": []attrs{{"path": "/", "backend": "web:80"}, attrs{"path": "/api", "backend": "api:80", "weight": 3}.with(changes)}}
	}
	list := []Scenario{
		{"accepts valid values at the limits of each range", acceptsEdges},
		rejects("a number below its range", attrs{"port": 0}, "port"),
		rejects("a number above its range", attrs{"port": 65536}, "port"),
		rejects("a fraction for an integer", attrs{"port": 80.5}, "port"),
		rejects("a string outside of the enumeration", attrs{"protocol": "gopher"}, "protocol"),
		rejects("a string that does not match the pattern", attrs{"name": "Shop"}, "name"),
		rejects("a string that is too short", attrs{"name": "ab"}, "name"),
		rejects("a string that is too long", attrs{"name": strings.Repeat("a", 64)}, "name"),
		rejects("invalid JSON", attrs{"settings": `{"a": `}, "settings"),
		rejects("a configuration with both attributes of an exclusive pair", attrs{"redirect": "https://example.org"}, "root", "redirect"),
		rejects("a configuration without an attribute of an exclusive pair", attrs{"root": nil}, "root", "redirect", ""),
		rejects("an object in a list with a string that does not match", routes(attrs{"path": "api"}), "routes[1].path"),
		rejects("an object in a list with a string that is too short", routes(attrs{"backend": ""}), "routes[1].backend"),
		rejects("an object in a list with a number out of range", routes(attrs{"weight": 101}), "routes[1].weight"),
		rejects("a list that is too long", attrs{"routes": make([]attrs, 9)}, "routes"),
		rejects("an invalid duration", attrs{"timeouts": attrs{"create": "soon"}}, "timeouts.create"),
		{"reports all mistakes at once", reportsAll},
		{"reports mistakes even if other values are unknown", besideUnknowns},
	}
	return list
}

func rejects(what string, changes attrs, paths ...string) Scenario {
	if list, ok := changes["routes"].([]attrs); ok {
		for i := range list {
			if list[i] == nil {
				list[i] = attrs{"path": "/", "backend": "web:80"}
			}
		}
	}
	return Scenario{"rejects " + what, func(ctx context.Context, w *world) {
		check(rejectedAt(w.validate(ctx, w.config(exampleSite().with(changes))), paths...))
	}}
}

func acceptsEdges(ctx context.Context, w *world) {
	for _, a := range []attrs{
		exampleSite(),
		{"name": "abc", "port": 1, "root": ""},
		{"name": strings.Repeat("a", 63), "port": 65535, "protocol": "tcp", "redirect": "http://example.org"},
		exampleSite().with(attrs{"routes": []attrs{{"path": "/", "backend": "b", "weight": 1}, {"path": "/", "backend": "b", "weight": 100}}}),
		exampleSite().with(attrs{"timeouts": attrs{"create": "1h30m"}}),
	} {
		check(w.validate(ctx, w.config(a)).Err())
	}
}

func reportsAll(ctx context.Context, w *world) {
	diags := w.validate(ctx, w.config(exampleSite().with(attrs{
		"port": 0, "protocol": "gopher", "token": "x", "routes": []attrs{{"path": "api", "backend": "", "weight": 0}},
	})))
	for _, path := range []string{"port", "protocol", "token", "routes[0].path", "routes[0].backend", "routes[0].weight"} {
		check(rejectedAt(diags, path))
	}
}

func besideUnknowns(ctx context.Context, w *world) {
	diags := w.validate(ctx, w.config(attrs{"name": unknown, "root": unknown, "port": 0, "settings": unknown}))
	check(rejectedAt(diags, "port"))
	if len(diags) != 1 {
		fail("unknown values are rejected")
	}
}
