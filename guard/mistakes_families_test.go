package guard_test

import (
	"errors"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

func readData(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ReadDataSource(t.Context(), w.readData).Diagnostics
}

func readDataDeferrable(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.readData.ClientCapabilities.DeferralAllowed = true
	return readData(t, p, w)
}

func open(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.OpenEphemeralResource(t.Context(), w.open).Diagnostics
}

func openDeferrable(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.open.ClientCapabilities.DeferralAllowed = true
	return open(t, p, w)
}

// openOwn omits the diagnostic that the provider returned.
func openOwn(t *testing.T, p provider.Interface, w world) diag.Diagnostics { return open(t, p, w)[1:] }

// generateOwn omits the diagnostic that the provider returned.
func generateOwn(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return generate(t, p, w)[1:]
}

func renew(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.RenewEphemeralResource(t.Context(), w.renew).Diagnostics
}

// asMessages converts the error of a function to diagnostics: the diagnostic that err contains, or one
// with the text of err. It returns nil if err is nil.
func asMessages(err error) (messages diag.Diagnostics) {
	var m diag.Diagnostic
	switch {
	case err == nil:
		return nil
	case errors.As(err, &m):
		return diag.Diagnostics{m}
	default:
		return messages.Errorf(nil, err.Error(), "")
	}
}

func call(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return asMessages(p.CallFunction(t.Context(), w.call).Err)
}

func callTwice(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	if first := call(t, p, w); first != nil {
		t.Error(first.Error())
	}
	return call(t, p, w)
}

// callWith returns a call of a function with the given arguments.
func callWith(name string, args ...cty.Value) func(*testing.T, provider.Interface, world) diag.Diagnostics {
	return func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
		w.call = provider.CallFunctionRequest{FunctionName: name, Arguments: args}
		return call(t, p, w)
	}
}

func readingData(change func(*provider.ReadDataSourceResponse)) mutant {
	return mutant{readData: change}
}

func dataWas(name string, v cty.Value) mutant {
	return readingData(func(r *provider.ReadDataSourceResponse) { r.State = set(r.State, name, v) })
}

func opening(change func(*provider.OpenEphemeralResourceResponse)) mutant {
	return mutant{open: change}
}

func opened(name string, v cty.Value) mutant {
	return opening(func(r *provider.OpenEphemeralResourceResponse) { r.Result = set(r.Result, name, v) })
}

func nested(name, attr string, v cty.Value) func(cty.Value) cty.Value {
	return func(object cty.Value) cty.Value { return set(object, name, set(object.GetAttr(name), attr, v)) }
}

func renewing(change func(*provider.RenewEphemeralResourceResponse)) mutant {
	return mutant{renew: change}
}

func result(v cty.Value) mutant {
	return mutant{call: func(r *provider.CallFunctionResponse) { r.Result = v }}
}

func failing(err error) mutant {
	return mutant{call: func(r *provider.CallFunctionResponse) { *r = provider.CallFunctionResponse{Err: err} }}
}

func argumentError(index int) mutant {
	return failing(&provider.FunctionArgumentError{Index: index, Err: errors.New("too long")})
}

func impure(results ...cty.Value) mutant {
	return mutant{call: func(r *provider.CallFunctionResponse) { r.Result, results = results[0], results[1:] }}
}

func familyMistakes() []mistake {
	later := &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
	other := cty.StringVal(secret + secret)
	openPin := nested("settings", "pin", other)
	return []mistake{
		{rule: "DATA-001", call: readData, wrong: readingData(func(r *provider.ReadDataSourceResponse) { r.Deferred = later })},
		{rule: "DATA-002", name: "nothing", call: readData, wrong: readingData(func(r *provider.ReadDataSourceResponse) { r.State = cty.NilVal })},
		{rule: "DATA-002", name: "null", call: readData, wrong: readingData(func(r *provider.ReadDataSourceResponse) {
			r.State = cty.NullVal(r.State.Type())
		})},
		{rule: "DATA-003", name: "computed", call: readData, wrong: dataWas("size", cty.UnknownVal(cty.Number))},
		{rule: "DATA-003", name: "in a sensitive map", call: readData, wrong: dataWas("secrets", cty.MapVal(values{secret: cty.UnknownVal(cty.String)}))},
		{rule: "DATA-004", call: readData, wrong: dataWas("size", cty.True)},
		{rule: "DATA-004", name: "null of another type", call: readData, wrong: readingData(func(r *provider.ReadDataSourceResponse) {
			r.State = cty.NullVal(cty.String)
		})},
		{rule: "DATA-004", name: "mark", call: readData, wrong: dataWas("password", hidden.Mark("m"))},
		{rule: "DATA-004", name: "deferred", call: readDataDeferrable, wrong: readingData(func(r *provider.ReadDataSourceResponse) {
			r.Deferred, r.State = later, set(r.State, "size", cty.True)
		})},
		{rule: "DATA-005", name: "required", call: readData, wrong: dataWas("path", cty.StringVal("/real/a"))},
		{rule: "DATA-005", name: "unset", call: readData, wrong: readingData(func(r *provider.ReadDataSourceResponse) { r.State = nestedNull(r.State) })},
		{rule: "DATA-005", name: "optional and computed", call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			w.readData.Config = set(w.readData.Config, "mode", cty.StringVal("0600"))
			return readData(t, p, w)
		}, wrong: dataWas("mode", cty.StringVal("0644"))},
		{rule: "DATA-005", name: "sensitive", call: readData, wrong: dataWas("password", other)},
		{rule: "PANIC-002", name: "data", call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			w.readData.Config = set(w.readData.Config, "odd", oddVal())
			return readData(t, p, w)
		}, wrong: oddData()},
		{rule: "DATA-005", name: "block", call: readData, wrong: dataWas("rule", rules("r", "s"))},

		{rule: "EPH-001", call: open, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) { r.Deferred = later })},
		{rule: "EPH-002", name: "nothing", call: open, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) { r.Result = cty.NilVal })},
		{rule: "EPH-002", name: "null", call: open, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) {
			r.Result = cty.NullVal(r.Result.Type())
		})},
		{rule: "EPH-003", name: "computed", call: open, wrong: opened("size", cty.UnknownVal(cty.Number))},
		{rule: "EPH-003", name: "configured", call: open, wrong: opened("content", cty.UnknownVal(cty.String))},
		{rule: "EPH-004", call: open, wrong: opened("size", hidden)},
		{rule: "EPH-004", name: "deferred", call: openDeferrable, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) {
			r.Deferred, r.Result = later, cty.True
		})},
		{rule: "EPH-005", call: open, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) { r.Result = openPin(r.Result) })},
		{rule: "EPH-006", name: "past", call: open, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) { r.RenewAt = time.Unix(0, 0) })},
		{rule: "EPH-006", name: "now", call: open, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) { r.RenewAt = time.Now() })},
		{rule: "EPH-007", warning: true, call: openOwn, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) {
			r.Diagnostics = r.Diagnostics.Errorf(nil, "refused", "")
		})},
		{rule: "EPH-008", call: renew, wrong: renewing(func(r *provider.RenewEphemeralResourceResponse) { r.Private = nil })},
		{rule: "EPH-009", call: renew, wrong: renewing(func(r *provider.RenewEphemeralResourceResponse) { r.RenewAt = time.Now().Add(-time.Hour) })},
		{rule: "EPH-009", name: "failed", call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			return renew(t, p, w)[1:]
		}, wrong: renewing(func(r *provider.RenewEphemeralResourceResponse) {
			r.RenewAt = time.Now()
			r.Diagnostics = r.Diagnostics.Errorf(nil, "refused", "")
		})},

		{rule: "FUNC-001", call: call, wrong: result(cty.NilVal)},
		{rule: "FUNC-002", call: call, wrong: result(cty.True)},
		{rule: "FUNC-002", name: "null of another type", call: call, wrong: result(cty.NullVal(cty.Bool))},
		{rule: "FUNC-002", name: "mark", call: call, wrong: result(hidden.Mark("m"))},
		{rule: "FUNC-002", name: "mark inside", call: callWith("same", cty.True), wrong: result(cty.TupleVal([]cty.Value{hidden.Mark("m")}))},
		{rule: "FUNC-003", call: call, wrong: result(cty.UnknownVal(cty.String))},
		{rule: "FUNC-003", name: "inside", call: callWith("same", hidden), wrong: result(cty.MapVal(values{secret: cty.UnknownVal(cty.String)}))},
		{rule: "FUNC-004", call: callTwice, wrong: impure(hidden, other)},
		{rule: "FUNC-004", name: "null", call: callTwice, wrong: impure(hidden, cty.NullVal(cty.String))},
		{rule: "FUNC-005", name: "above", call: call, wrong: argumentError(1)},
		{rule: "FUNC-005", name: "below", call: call, wrong: argumentError(-1)},
		{rule: "FUNC-005", name: "variadic", call: callWith("count", cty.True, cty.True), wrong: argumentError(2)},
		{rule: "FUNC-006", call: call, wrong: failing(errors.New(""))},
		{rule: "FUNC-007", call: call, wrong: failing(provider.ErrUnimplemented)},

		{rule: "GENERATE-002", name: "mark", call: generate, wrong: generated("path", hidden.Mark("m"))},
		{rule: "GENERATE-003", call: generate, wrong: mutant{generate: func(r *provider.GenerateResourceConfigResponse) { r.Config = cty.NilVal }}},
		{rule: "GENERATE-004", call: generate, wrong: generated("size", cty.NumberIntVal(1))},
		{rule: "GENERATE-005", call: generate, wrong: generated("path", cty.NullVal(cty.String))},
		{rule: "GENERATE-005", name: "warning about another attribute", call: generateOwn, wrong: mutant{generate: func(r *provider.GenerateResourceConfigResponse) {
			r.Config = set(r.Config, "path", cty.NullVal(cty.String))
			r.Diagnostics = diag.Diagnostics{}.Warnf(cty.GetAttrPath("token"), "Write the token", "")
		}}},
		{rule: "GENERATE-005", name: "in a block", call: generate, wrong: generated("rule", cty.ListVal([]cty.Value{
			cty.ObjectVal(values{"name": cty.NullVal(cty.String), "note": cty.NullVal(cty.String)}),
		}))},
	}
}

func generated(name string, v cty.Value) mutant {
	return mutant{generate: func(r *provider.GenerateResourceConfigResponse) { r.Config = set(r.Config, name, v) }}
}

func oddAttribute() *configschema.Attribute {
	return &configschema.Attribute{Type: oddType, Optional: true}
}

func oddData() mutant {
	m := dataWas("odd", oddVal())
	m.schema = func(r *provider.GetProviderSchemaResponse) {
		r.DataSources["fake_data"].Body.Attributes["odd"] = oddAttribute()
	}
	return m
}

// nestedNull returns object with null for pin in settings, a configured sensitive attribute.
func nestedNull(object cty.Value) cty.Value {
	return nested("settings", "pin", cty.NullVal(cty.String))(object)
}

func familySchema(change func(*provider.GetProviderSchemaResponse)) mistake {
	return mistake{call: getSchema, wrong: schema(change)}
}

func familySchemaMistakes() []mistake {
	secretBody := provider.Schema{Body: actionBody()}
	computedBody := textBody("out")
	computedBody.Attributes["out"] = &configschema.Attribute{Computed: true, NestedType: &configschema.Object{
		Nesting: configschema.NestingSingle, Attributes: attributes{"in": {Type: cty.String, Optional: true}},
	}}
	deep := &configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{"b": {Nesting: configschema.NestingList, Block: *textBody("x")}}}
	deep.BlockTypes["b"].Attributes["x"].Computed = true
	outBody := provider.Schema{Body: computedBody}
	var all []mistake
	for rule, cases := range map[guard.ID]map[string]mistake{
		"SCHEMA-003": {
			"data": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.DataSources["fake_data"].Body.Attributes["size"].Required = true
			}),
			"ephemeral": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.EphemeralResourceTypes["fake_lease"].Body.Attributes["size"].Required = true
			}),
			"list": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.ListResourceTypes["fake_thing"].Body.Attributes["prefix"].Required = true
			}),
			"action": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.Actions["fake_act"].Body.Attributes["host"].Required = true
			}),
			"store": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.StateStores["fake_store"].Body.Attributes["directory"].Required = true
			}),
			"first used by another call": {call: readData, wrong: schema(func(r *provider.GetProviderSchemaResponse) {
				r.DataSources["fake_data"].Body.Attributes["size"].Required = true
			})},
		},
		"SCHEMA-005": {
			"first used by a list": {call: list, wrong: identitySchema(func(_ *int64, body *configschema.Object) { clear(body.Attributes) })},
		},
		"SCHEMA-012": {
			"no such type": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.ListResourceTypes["fake_thnig"] = r.ListResourceTypes["fake_thing"]
			}),
			"no identity": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.ListResourceTypes["fake_plain"] = r.ListResourceTypes["fake_thing"]
			}),
			"first used by a list": {call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
				w.list.TypeName = "fake_plain"
				return list(t, p, w)
			}, wrong: schema(func(r *provider.GetProviderSchemaResponse) {
				r.ListResourceTypes["fake_plain"] = r.ListResourceTypes["fake_thing"]
			})},
		},
		"SCHEMA-013": {
			"provider":  familySchema(func(r *provider.GetProviderSchemaResponse) { r.Provider = secretBody }),
			"meta":      familySchema(func(r *provider.GetProviderSchemaResponse) { r.ProviderMeta = secretBody }),
			"data":      familySchema(func(r *provider.GetProviderSchemaResponse) { r.DataSources["fake_data"] = secretBody }),
			"ephemeral": familySchema(func(r *provider.GetProviderSchemaResponse) { r.EphemeralResourceTypes["fake_lease"] = secretBody }),
			"list":      familySchema(func(r *provider.GetProviderSchemaResponse) { r.ListResourceTypes["fake_thing"] = secretBody }),
			"store":     familySchema(func(r *provider.GetProviderSchemaResponse) { r.StateStores["fake_store"] = secretBody }),
		},
		"SCHEMA-014": {
			"meta":   familySchema(func(r *provider.GetProviderSchemaResponse) { r.ProviderMeta = outBody }),
			"list":   familySchema(func(r *provider.GetProviderSchemaResponse) { r.ListResourceTypes["fake_thing"] = outBody }),
			"action": familySchema(func(r *provider.GetProviderSchemaResponse) { r.Actions["fake_act"] = outBody }),
			"store":  familySchema(func(r *provider.GetProviderSchemaResponse) { r.StateStores["fake_store"] = outBody }),
			"in a nested type": familySchema(func(r *provider.GetProviderSchemaResponse) {
				body := textBody("x")
				body.Attributes["x"] = &configschema.Attribute{Optional: true, NestedType: &configschema.Object{
					Nesting: configschema.NestingSingle, Attributes: attributes{"in": {Type: cty.String, Computed: true}},
				}}
				r.StateStores["fake_store"] = provider.Schema{Body: body}
			}),
			"in a block": familySchema(func(r *provider.GetProviderSchemaResponse) {
				r.StateStores["fake_store"] = provider.Schema{Body: deep}
			}),
		},
	} {
		for name, c := range cases {
			c.rule, c.name = rule, name
			all = append(all, c)
		}
	}
	return all
}
