package guard_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestConditionsOfRules checks which rules also apply to a response with an error, to a deferred
// response, and to a response about a type with an invalid schema. It breaks each rule for the calls
// about one object, and LIST-013, in such responses.
func TestConditionsOfRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// every changes each response so that it has an error, is deferred or has an invalid schema.
		every func(response any)
		// applies are the rules that apply, or the first parts of their IDs.
		applies []string
	}{
		// After an error, both engines still decode the object and store it.
		"failed": {fail, []string{
			"READ-002", "READ-003", "READ-004", "PLAN-015",
			"APPLY-001", "APPLY-002", "APPLY-003", "APPLY-004", "APPLY-005", "APPLY-006", "APPLY-015",
			"EPH-007", "EPH-009",
		}},
		// A deferred object may be null or unknown, and is not compared with anything.
		"deferred": {deferResponse, []string{
			"READ-002", "READ-003", "READ-004", "READ-008", "READ-009", "READ-011",
			"PLAN-010", "PLAN-011", "PLAN-012", "PLAN-013", "PLAN-015",
			"DATA-004", "EPH-004", "EPH-007",
			// These responses cannot be deferred.
			"UPGRADE", "IDENTITY", "MOVE", "GENERATE", "APPLY", "EPH-008", "EPH-009", "LIST-013",
		}},
		// Nothing about values can be checked.
		"invalid schema": {invalidate, []string{
			"PLAN-015", "APPLY-015", "EPH-008", "EPH-009",
		}},
	} {
		for _, m := range mistakes() {
			if !hasPrefix(m.rule, "UPGRADE", "IDENTITY", "MOVE", "GENERATE", "READ", "PLAN", "APPLY", "IMPORT", "DATA", "EPH", "LIST-013") {
				continue
			}
			t.Run(name+"/"+string(m.rule)+" "+m.name, func(t *testing.T) {
				t.Parallel()
				f := fake{private: []byte("mine")}
				wrong := m.wrong
				wrong.Interface, wrong.every = f, c.every
				got := brokenRules(m.call(t, allowing{guard.Wrap(&wrong)}, newWorld(t, f, "fake_thing")))
				if want := hasPrefix(m.rule, c.applies...); slices.Contains(got, string(m.rule)) != want {
					t.Errorf("the rule applies: %t, want %t; got the rules %q", !want, want, got)
				}
			})
		}
	}
}

func hasPrefix(id guard.ID, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(string(id), p) })
}

func fail(response any) {
	if _, ok := response.(*provider.GetProviderSchemaResponse); ok {
		return
	}
	if messages := field[diag.Diagnostics](response, "Diagnostics"); messages != nil {
		*messages = messages.Errorf(nil, "refused", "")
	}
}

func deferResponse(response any) {
	if deferred := field[*provider.Deferred](response, "Deferred"); deferred != nil && *deferred == nil {
		*deferred = &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
	}
}

// invalidate makes the schema of each type invalid, but keeps the types of its attributes.
func invalidate(response any) {
	schema, ok := response.(*provider.GetProviderSchemaResponse)
	if !ok {
		return
	}
	for _, types := range []map[string]provider.Schema{
		schema.ResourceTypes, schema.DataSources, schema.EphemeralResourceTypes, schema.ListResourceTypes, schema.Actions, schema.StateStores,
	} {
		for _, s := range types {
			for _, attr := range s.Body.Attributes {
				attr.Required, attr.Optional = true, true
			}
		}
	}
}

// field returns a pointer to the named field of a response, or nil if the response has no field
// with that name and the type T.
func field[T any](response any, name string) *T {
	f := reflect.ValueOf(response).Elem().FieldByName(name)
	if !f.IsValid() {
		return nil
	}
	p, _ := reflect.TypeAssert[*T](f.Addr())
	return p
}

// allowing wraps a provider and allows deferral in the requests to it.
type allowing struct{ provider.Interface }

var deferrable = provider.ClientCapabilities{DeferralAllowed: true}

func (a allowing) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	req.ClientCapabilities = deferrable
	return a.Interface.ReadResource(ctx, req)
}

func (a allowing) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	req.ClientCapabilities = deferrable
	return a.Interface.PlanResourceChange(ctx, req)
}

func (a allowing) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	req.ClientCapabilities = deferrable
	return a.Interface.ImportResourceState(ctx, req)
}

func (a allowing) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	req.ClientCapabilities = deferrable
	return a.Interface.ReadDataSource(ctx, req)
}

func (a allowing) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	req.ClientCapabilities = deferrable
	return a.Interface.OpenEphemeralResource(ctx, req)
}

func (a allowing) PlanAction(ctx context.Context, req provider.PlanActionRequest) provider.PlanActionResponse {
	req.ClientCapabilities = deferrable
	return a.Interface.PlanAction(ctx, req)
}
