package sidebyside

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// siteV0 is a stored state of schema version 0.
//
//go:embed testdata/site_v0.json
var siteV0 []byte

func lifeScenarios() []Scenario {
	return []Scenario{
		{"is created; outputs are unknown in the plan and known after apply", create},
		{"plans no changes if nothing has changed", noChange},
		{"detects drift of several attributes and repairs it", drift},
		{"detects that an attribute was set although the configuration leaves it unset, and unsets it", driftOfUnset},
		{"is created again if it was deleted", gone},
		{"keeps outputs known if an update does not change them", outputs},
		{"is replaced when its name changes", replace},
		{"is imported by ID, and the next plan is empty", importByID},
		{"is imported by identity, and the next plan is empty", importByIdentity},
		{"keeps its identity", identityStays},
		{"upgrades a state of schema version 0", upgradeV0},
		{"stops creating, updating and deleting after the configured timeout", timeouts},
		{"keeps its state when an update fails", failedUpdate},
		{"is destroyed, even if it was already deleted", destroy},
	}
}

func create(ctx context.Context, w *world) {
	p := w.planConfig(ctx, exampleSite(), creates)
	check(p.expectUnknown("url", "revision", "created_at"))
	check(w.apply(ctx, p))
	check(w.expectState(exampleSite().with(attrs{"protocol": "https", "url": "https://shop:8443", "revision": 1})))
	stored := w.stored(ctx, "shop")
	if stored.Port != 8443 || len(stored.Routes) != 2 || *stored.Routes[0].Weight != 3 || stored.Redirect != nil {
		fail("the stored site differs from the configuration")
	}
}

func noChange(ctx context.Context, w *world) {
	for _, a := range []attrs{exampleSite(), {"name": "shop", "redirect": "https://example.org"}} {
		check(w.applyConfig(ctx, a))
		w.planConfig(ctx, a, doesNothing)
	}
}

func drift(ctx context.Context, w *world) {
	check(w.applyConfig(ctx, exampleSite()))
	check(w.sites.Edit(ctx, "shop", func(s *store.Site) {
		s.Port, s.Protocol, s.Token = 1, "http", nil
		s.Routes = s.Routes[:1]
	}))
	p := w.planConfig(ctx, exampleSite(), updates)
	check(p.expectChanges("port", "protocol", "token", "routes", "url", "revision"))
	check(w.apply(ctx, p))
	check(w.expectState(exampleSite().with(attrs{"protocol": "https", "revision": 2})))
	w.planConfig(ctx, exampleSite(), doesNothing)
}

func driftOfUnset(ctx context.Context, w *world) {
	site, token := attrs{"name": "shop", "root": "/"}, "tok_00000000"
	check(w.applyConfig(ctx, site))
	check(w.sites.Edit(ctx, "shop", func(s *store.Site) { s.Token = &token }))
	check(w.apply(ctx, w.planConfig(ctx, site, updates)))
	if w.stored(ctx, "shop").Token != nil {
		fail("the token is still set")
	}
}

func gone(ctx context.Context, w *world) {
	check(w.applyConfig(ctx, exampleSite()))
	check(w.sites.Delete(ctx, "shop"))
	w.planConfig(ctx, exampleSite(), creates)
}

func outputs(ctx context.Context, w *world) {
	check(w.applyConfig(ctx, exampleSite()))
	for _, tt := range []struct {
		change  attrs
		unknown []string
	}{
		{attrs{"root": "/srv/other"}, []string{"revision"}},
		{attrs{"routes": []attrs{{"path": "/", "backend": "web:81"}}}, []string{"revision"}},
		{attrs{"port": 9443}, []string{"revision", "url"}},
	} {
		p := w.planConfig(ctx, exampleSite().with(tt.change), updates)
		check(p.expectUnknown(tt.unknown...))
		check(w.apply(ctx, p))
		check(w.applyConfig(ctx, exampleSite()))
	}
}

func replace(ctx context.Context, w *world) {
	check(w.applyConfig(ctx, exampleSite()))
	p := w.planConfig(ctx, exampleSite().with(attrs{"name": "store"}), replaces)
	check(p.expectUnknown("url", "revision", "created_at"))
	check(w.apply(ctx, p))
	check(w.expectIdentity("store"))
	w.expectAbsent(ctx, "shop")
	w.stored(ctx, "store")
}

func importByID(ctx context.Context, w *world) { imported(ctx, w, "shop", cty.NilVal) }

func importByIdentity(ctx context.Context, w *world) { imported(ctx, w, "", identityOf("shop")) }

func imported(ctx context.Context, w *world, id string, identity cty.Value) {
	check(w.applyConfig(ctx, exampleSite()))
	check(w.importObject(ctx, id, identity))
	check(w.expectState(exampleSite()))
	check(w.expectIdentity("shop"))
	w.planConfig(ctx, exampleSite(), doesNothing)
}

func identityStays(ctx context.Context, w *world) {
	for _, a := range []attrs{exampleSite(), exampleSite().with(attrs{"port": 9443}), exampleSite().with(attrs{"protocol": "http"})} {
		check(w.applyConfig(ctx, a))
		check(w.expectIdentity("shop"))
		check(w.refresh(ctx))
		check(w.expectIdentity("shop"))
	}
}

func identityOf(name string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name)})
}

func (w *world) expectIdentity(name string) error {
	if w.identity == cty.NilVal || !objchange.EqualExact(w.identity, identityOf(name)) {
		return fmt.Errorf("the identity is not that of %s", name)
	}
	return nil
}

// stored returns the stored site with the name. It ends the scenario if there is none.
func (w *world) stored(ctx context.Context, name string) *store.Site {
	site, err := w.sites.Get(ctx, name)
	check(err)
	return site
}

func (w *world) expectAbsent(ctx context.Context, name string) {
	if _, err := w.sites.Get(ctx, name); !errors.Is(err, store.ErrNotFound) {
		fail("the old site still exists")
	}
}

func upgradeV0(ctx context.Context, w *world) {
	var stored attrs
	check(json.Unmarshal(siteV0, &stored))
	createdAt, _ := stored["created_at"].(string)
	config := attrs{
		"name": "shop", "port": 8443, "root": "/srv/shop", "settings": `{"a": 1}`,
		"routes": []attrs{{"path": "/api", "backend": "api:80", "weight": 3}},
	}
	check(w.applyConfig(ctx, config))
	check(w.sites.Edit(ctx, "shop", func(s *store.Site) { s.CreatedAt = createdAt }))
	if _, ok := w.schema.Body.Attributes["id"]; ok {
		stored["id"] = "shop" // every resource of SDKv2 has an id
	}
	state, err := json.Marshal(stored)
	check(err)
	w.private, w.identity = nil, cty.NilVal
	check(w.upgrade(ctx, 0, string(state)))
	check(w.expectState(config.with(attrs{"created_at": createdAt})))
	w.planConfig(ctx, config, doesNothing)
	check(w.expectIdentity("shop"))
}

func destroy(ctx context.Context, w *world) {
	for _, deleted := range []bool{false, true} {
		check(w.applyConfig(ctx, exampleSite()))
		if deleted {
			check(w.sites.Delete(ctx, "shop"))
		}
		check(w.destroy(ctx, w.private))
		w.expectAbsent(ctx, "shop")
	}
}

// shortTimeouts returns the example site with timeouts of 50 ms.
func shortTimeouts() attrs {
	return exampleSite().with(attrs{"timeouts": attrs{"create": "50ms", "update": "50ms", "delete": "50ms"}})
}

// locked calls f while the site shop is locked, as by another client, and returns the error of f.
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
		{"create", func() error { return w.applyConfig(ctx, shortTimeouts()) }},
		{"update", func() error { return w.applyConfig(ctx, shortTimeouts().with(attrs{"port": 1})) }},
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
	check(w.applyConfig(ctx, shortTimeouts()))
	changed := shortTimeouts().with(attrs{"port": 9443})
	if err := w.locked(func() error { return w.applyConfig(ctx, changed) }); err == nil {
		fail("the update did not fail")
	}
	check(w.expectState(exampleSite()))
	w.planConfig(ctx, changed, updates)
}
