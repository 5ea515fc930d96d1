package sidebyside

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// siteV0 is a state as version 0 of the schema stored it.
//
//go:embed testdata/site_v0.json
var siteV0 []byte

func lifeScenarios() []Scenario {
	return []Scenario{
		{"is created; outputs are unknown in the plan and known after apply", create},
		{"plans no changes if nothing has changed", noChange},
		{"detects drift of several attributes and repairs it", drift},
		{"detects that an attribute was set that the configuration leaves unset, and unsets it", driftOfUnset},
		{"is created again if it was deleted", gone},
		{"keeps outputs known that an update does not change", outputs},
		{"is replaced when its name changes", replace},
		{"is imported by id, and the next plan is empty", importByID},
		{"is imported by identity, and the next plan is empty", importByIdentity},
		{"keeps its identity", identityStays},
		{"upgrades a state of schema version 0", upgradeV0},
		{"stops creating, updating and deleting after the configured timeout", timeouts},
		{"keeps its state when an update fails", failedUpdate},
		{"is destroyed, also if it was already deleted", destroy},
	}
}

func create(ctx context.Context, w *world) error {
	p, err := w.planned(ctx, shop(), creates)
	if err != nil {
		return err
	}
	return steps(
		func() error { return p.expectUnknown("url", "revision", "created_at") },
		func() error { return w.apply(ctx, p) },
		func() error {
			return w.expectState(shop().with(attrs{"protocol": "https", "url": "https://shop:8443", "revision": 1}))
		},
		func() error {
			kept, err := w.sites.Get(ctx, "shop")
			if err == nil && (kept.Port != 8443 || len(kept.Routes) != 2 || *kept.Routes[0].Weight != 3 || kept.Redirect != nil) {
				err = errors.New("the stored site differs from the configuration")
			}
			return err
		},
	)
}

func noChange(ctx context.Context, w *world) error {
	for _, a := range []attrs{shop(), {"name": "shop", "redirect": "https://example.org"}} {
		if err := w.made(ctx, a); err != nil {
			return err
		}
		if _, err := w.planned(ctx, a, doesNothing); err != nil {
			return err
		}
	}
	return nil
}

func drift(ctx context.Context, w *world) error {
	if err := w.made(ctx, shop()); err != nil {
		return err
	}
	if err := w.sites.Edit(ctx, "shop", func(s *store.Site) {
		s.Port, s.Protocol, s.Token = 1, "http", nil
		s.Routes = s.Routes[:1]
	}); err != nil {
		return err
	}
	p, err := w.planned(ctx, shop(), updates)
	if err != nil {
		return err
	}
	return steps(
		func() error {
			return p.expectChanges("port", "protocol", "token", "routes", "url", "revision")
		},
		func() error { return w.apply(ctx, p) },
		func() error { return w.expectState(shop().with(attrs{"protocol": "https", "revision": 2})) },
		func() error { _, err := w.planned(ctx, shop(), doesNothing); return err },
	)
}

func driftOfUnset(ctx context.Context, w *world) error {
	site := attrs{"name": "shop", "root": "/"}
	token := "tok_00000000"
	return steps(
		func() error { return w.made(ctx, site) },
		func() error { return w.sites.Edit(ctx, "shop", func(s *store.Site) { s.Token = &token }) },
		func() error {
			p, err := w.planned(ctx, site, updates)
			if err != nil {
				return err
			}
			return w.apply(ctx, p)
		},
		func() error {
			site, err := w.sites.Get(ctx, "shop")
			if err == nil && site.Token != nil {
				err = errors.New("it is still set")
			}
			return err
		},
	)
}

func gone(ctx context.Context, w *world) error {
	return steps(
		func() error { return w.made(ctx, shop()) },
		func() error { return w.sites.Delete(ctx, "shop") },
		func() error { _, err := w.planned(ctx, shop(), creates); return err },
	)
}

func outputs(ctx context.Context, w *world) error {
	if err := w.made(ctx, shop()); err != nil {
		return err
	}
	for _, tt := range []struct {
		change  attrs
		unknown []string
	}{
		{attrs{"root": "/srv/other"}, []string{"revision"}},
		{attrs{"routes": []attrs{{"path": "/", "backend": "web:81"}}}, []string{"revision"}},
		{attrs{"port": 9443}, []string{"revision", "url"}},
	} {
		p, err := w.planned(ctx, shop().with(tt.change), updates)
		if err != nil {
			return err
		}
		if err := p.expectUnknown(tt.unknown...); err != nil {
			return err
		}
		if err := w.apply(ctx, p); err != nil {
			return err
		}
		if err := w.made(ctx, shop()); err != nil {
			return err
		}
	}
	return nil
}

func replace(ctx context.Context, w *world) error {
	if err := w.made(ctx, shop()); err != nil {
		return err
	}
	p, err := w.planned(ctx, shop().with(attrs{"name": "store"}), replaces)
	if err != nil {
		return err
	}
	return steps(
		func() error { return p.expectUnknown("url", "revision", "created_at") },
		func() error { return w.apply(ctx, p) },
		func() error { return w.expectIdentity("store") },
		func() error {
			if _, err := w.sites.Get(ctx, "shop"); !errors.Is(err, store.ErrNotFound) {
				return errors.New("the old site still exists")
			}
			_, err := w.sites.Get(ctx, "store")
			return err
		},
	)
}

func importByID(ctx context.Context, w *world) error {
	return imported(ctx, w, "shop", cty.NilVal)
}

func importByIdentity(ctx context.Context, w *world) error {
	return imported(ctx, w, "", cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("shop")}))
}

func imported(ctx context.Context, w *world, id string, identity cty.Value) error {
	return steps(
		func() error { return w.made(ctx, shop()) },
		func() error { return w.importObject(ctx, id, identity) },
		func() error { return w.expectState(shop()) },
		func() error { return w.expectIdentity("shop") },
		func() error { _, err := w.planned(ctx, shop(), doesNothing); return err },
	)
}

func identityStays(ctx context.Context, w *world) error {
	for _, a := range []attrs{shop(), shop().with(attrs{"port": 9443}), shop().with(attrs{"protocol": "http"})} {
		if err := steps(
			func() error { return w.made(ctx, a) },
			func() error { return w.expectIdentity("shop") },
			func() error { return w.refresh(ctx) },
			func() error { return w.expectIdentity("shop") },
		); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) expectIdentity(name string) error {
	want := cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name)})
	if w.identity == cty.NilVal || !objchange.EqualExact(w.identity, want) {
		return fmt.Errorf("the identity is not that of %s", name)
	}
	return nil
}

func upgradeV0(ctx context.Context, w *world) error {
	var stored attrs
	if err := json.Unmarshal(siteV0, &stored); err != nil {
		return err
	}
	createdAt, _ := stored["created_at"].(string)
	config := attrs{
		"name": "shop", "port": 8443, "root": "/srv/shop", "settings": `{"a": 1}`,
		"routes": []attrs{{"path": "/api", "backend": "api:80", "weight": 3}},
	}
	if err := w.made(ctx, config); err != nil {
		return err
	}
	if err := w.sites.Edit(ctx, "shop", func(s *store.Site) { s.CreatedAt = createdAt }); err != nil {
		return err
	}
	if _, ok := w.schema.Body.Attributes["id"]; ok {
		stored["id"] = "shop" // every resource of SDKv2 has one
	}
	state, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	w.private, w.identity = nil, cty.NilVal
	return steps(
		func() error { return w.upgrade(ctx, 0, string(state)) },
		func() error { return w.expectState(config.with(attrs{"created_at": createdAt})) },
		func() error { _, err := w.planned(ctx, config, doesNothing); return err },
		func() error { return w.expectIdentity("shop") },
	)
}

func destroy(ctx context.Context, w *world) error {
	for _, before := range []func() error{
		func() error { return nil },
		func() error { return w.sites.Delete(ctx, "shop") },
	} {
		if err := steps(
			func() error { return w.made(ctx, shop()) },
			before,
			func() error { return w.destroy(ctx, w.private) },
		); err != nil {
			return err
		}
		if _, err := w.sites.Get(ctx, "shop"); !errors.Is(err, store.ErrNotFound) {
			return errors.New("it is still there")
		}
	}
	return nil
}
