package conformance_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// small returns a schema with one of each feature that laws need.
func small() *configschema.Block {
	return &configschema.Block{Attributes: attrs{
		"id":     {Type: cty.String, Computed: true},
		"name":   {Type: cty.String, Required: true},
		"note":   {Type: cty.String, Optional: true, Computed: true},
		"secret": {Type: cty.String, Optional: true, Sensitive: true},
		"token":  {Type: cty.String, Optional: true, WriteOnly: true},
	}}
}

// noted returns v with the note, or unchanged if it is null or the configuration sets a
// note.
func noted(config, v cty.Value, note string) cty.Value {
	if v.IsNull() || config != cty.NilVal && !config.GetAttr("note").IsNull() {
		return v
	}
	return with(v, "note", cty.StringVal(note))
}

func refused(why string) diag.Diagnostics { return diag.Diagnostics{{Summary: why}} }

// broken has bugs, each under the law that is reported for it. If the law has an entry in twins, the
// other law of the pair must be waived. The laws without a bug here are tested by TestPlantedBugs.
var broken = map[string]func(p *ideal){
	"schema-lawful": func(p *ideal) { p.body.Attributes["name"].Optional = true },
	"no-panic":      func(p *ideal) { p.validate = func(cty.Value) diag.Diagnostics { panic("test panic") } },
	"process-lives": func(p *ideal) {
		p.validate = func(cty.Value) diag.Diagnostics {
			return diag.Diagnostics{{Summary: "No answer", Crash: diag.ProcessEnded}}
		}
	},
	"secret-shown": func(p *ideal) {
		p.validate = func(config cty.Value) diag.Diagnostics {
			if secret := config.GetAttr("secret"); secret.IsKnown() && !secret.IsNull() {
				return refused("A bad secret: " + secret.AsString())
			}
			return nil
		}
	},
	"validate-unknown": func(p *ideal) {
		p.validate = func(config cty.Value) diag.Diagnostics {
			if !config.IsWhollyKnown() {
				return refused("Something is not known")
			}
			return nil
		}
	},
	"plan-unknown": func(p *ideal) {
		p.onPlan = func(req provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			if !req.Config.IsWhollyKnown() {
				resp.Diagnostics = refused("Something is not known")
			}
		}
	},
	"plan-valid": func(p *ideal) {
		p.onPlan = func(_ provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			if !resp.PlannedState.IsNull() {
				resp.PlannedState = with(resp.PlannedState, "name", cty.StringVal("another"))
			}
		}
	},
	"plan-deterministic": func(p *ideal) {
		n := 0
		p.onPlan = func(req provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			if n++; req.PriorState.IsNull() {
				resp.PlannedState = noted(req.Config, resp.PlannedState, strconv.Itoa(n))
			}
		}
	},
	"plan-refines": func(p *ideal) {
		p.onPlan = func(req provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			if req.PriorState.IsNull() && !req.Config.IsWhollyKnown() {
				resp.PlannedState = noted(req.Config, resp.PlannedState, "guessed")
			}
		}
	},
	"plan-changes-nothing": func(p *ideal) {
		p.onPlan = func(req provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			if !req.PriorState.IsNull() && !resp.PlannedState.IsNull() {
				p.objects[idOf(req.PriorState)] = resp.PlannedState
			}
		}
	},
	"replace-sensible": func(p *ideal) {
		p.onPlan = func(_ provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			resp.RequiresReplace = []cty.Path{cty.GetAttrPath("nowhere")}
		}
	},
	"plan-after-apply": func(p *ideal) {
		p.onPlan = func(req provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			if !req.PriorState.IsNull() && !req.Config.IsNull() && req.Config.GetAttr("note").IsNull() {
				resp.PlannedState = with(resp.PlannedState, "note", cty.UnknownVal(cty.String))
			}
		}
	},
	"apply-keeps-plan": func(p *ideal) {
		p.apply = func(v cty.Value) cty.Value { return with(v, "name", cty.StringVal("another")) }
	},
	"apply-works": func(p *ideal) {
		p.onApply = func(req provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
			if !req.PlannedState.IsNull() {
				delete(p.objects, idOf(resp.NewState))
				*resp = provider.ApplyResourceChangeResponse{NewState: req.PriorState, Diagnostics: refused("Not today")}
			}
		}
	},
	"apply-result": func(p *ideal) {
		p.onApply = func(_ provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
			resp.NewState = cty.NullVal(p.body.ImpliedType())
		}
	},
	"stored-known": func(p *ideal) {
		p.apply = func(v cty.Value) cty.Value { return with(v, "note", cty.UnknownVal(cty.String)) }
	},
	"write-only-not-stored": func(p *ideal) {
		p.apply = func(v cty.Value) cty.Value { return with(v, "token", cty.StringVal("kept")) }
	},
	"identity-complete": func(p *ideal) {
		p.onApply = func(_ provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
			resp.NewIdentity = cty.NilVal
		}
	},
	"identity-stable": func(p *ideal) {
		p.onRead = func(_ provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
			resp.Identity = identityOf("another")
		}
	},
	"read-after-apply": func(p *ideal) {
		p.onRead = func(_ provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
			resp.NewState = noted(cty.NilVal, resp.NewState, "read")
		}
	},
	"read-idempotent": func(p *ideal) {
		n := 0
		p.onRead = func(_ provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
			if n++; n == 2 {
				resp.NewState = noted(cty.NilVal, resp.NewState, "twice")
				n = 0
			}
		}
	},
	"private-kept": func(p *ideal) {
		p.onApply = func(_ provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
			resp.Private = []byte("{}")
		}
		p.onRead = func(_ provider.ReadResourceRequest, resp *provider.ReadResourceResponse) { resp.Private = nil }
	},
	"upgrade-is-identity": func(p *ideal) {
		p.onUpgrade = func(resp *provider.UpgradeResourceStateResponse) {
			resp.UpgradedState = noted(cty.NilVal, resp.UpgradedState, "upgraded")
		}
	},
	"import-finds": func(p *ideal) {
		p.onImport = func(resp *provider.ImportResourceStateResponse) { resp.ImportedResources = nil }
	},
	"import-complete": func(p *ideal) {
		p.onRead = func(req provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
			if req.PriorState.GetAttr("name").IsNull() {
				resp.NewState = noted(cty.NilVal, resp.NewState, "imported")
			}
		}
	},
	"import-then-plan": func(p *ideal) {
		p.onRead = func(req provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
			if req.PriorState.GetAttr("name").IsNull() && !resp.NewState.IsNull() {
				resp.NewState = with(resp.NewState, "name", cty.StringVal("another"))
			}
		}
	},
	"generated-config": func(p *ideal) {
		p.onGenerate = func(resp *provider.GenerateResourceConfigResponse) {
			resp.Config = with(resp.Config, "note", cty.StringVal("another"))
		}
	},
	"drift-found": func(p *ideal) {
		p.onRead = func(req provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
			if !resp.NewState.IsNull() && !req.PriorState.GetAttr("name").IsNull() {
				resp.NewState = req.PriorState
			}
		}
	},
	"enough-evidence": func(p *ideal) {
		p.onApply = func(req provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
			if !req.PlannedState.IsNull() && len(req.PlannedState.GetAttr("name").AsString())%7 != 3 {
				if req.PriorState.IsNull() {
					delete(p.objects, idOf(resp.NewState))
				} else {
					p.objects[idOf(req.PriorState)] = req.PriorState
				}
				*resp = provider.ApplyResourceChangeResponse{NewState: req.PriorState, NewIdentity: req.PlannedIdentity, Diagnostics: refused("No such name")}
			}
		}
	},
	"gone-found":      func(p *ideal) { p.onRead = stillThere },
	"destroy-removes": func(p *ideal) { p.onRead = stillThere },
	"engine-agrees": func(p *ideal) {
		p.onPlan = func(_ provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
			resp.PlannedIdentity = cty.UnknownVal(idealIdentity.ImpliedType())
		}
	},
}

func stillThere(req provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
	if resp.NewState.IsNull() && !req.PriorState.GetAttr("name").IsNull() {
		resp.NewState, resp.Identity, resp.Private = req.PriorState, req.CurrentIdentity, req.Private
	}
}

// twins has pairs of laws that the same bug breaks.
var twins = map[string]string{"gone-found": "destroy-removes", "destroy-removes": "gone-found"}

// TestEveryLaw checks that each bug in broken is found by its law, and that each law
// has a bug here or in TestPlantedBugs.
func TestEveryLaw(t *testing.T) {
	t.Parallel()
	for id, plant := range broken {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			p := &ideal{body: small()}
			plant(p)
			options := idealOptions(p)
			if twin := twins[id]; twin != "" {
				options.Waive = map[string]string{twin: "the same bug breaks the law under test"}
			}
			if f := one(t, options); f.Law.ID != id {
				t.Errorf("want the law %s, got:\n%s", id, f)
			}
		})
	}
	elsewhere := []string{"failed-apply", "destroy-twice"} // see TestPlantedBugs
	for _, law := range conformance.Laws() {
		if !slices.Contains(elsewhere, law.ID) && broken[law.ID] == nil {
			t.Errorf("no bug is defined for the law %s", law.ID)
		}
	}
	if n := len(broken) + len(elsewhere); n != len(conformance.Laws()) {
		t.Errorf("%d bugs are defined, want one for each of the %d laws", n, len(conformance.Laws()))
	}
}
