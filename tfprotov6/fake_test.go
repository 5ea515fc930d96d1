package tfprotov6_test

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// fake is a provider with types of every kind. It records requests and returns given
// responses.
type fake struct {
	schema     provider.GetProviderSchemaResponse
	identities provider.GetResourceIdentitySchemasResponse
	answers    map[reflect.Type]any
	asked      []any
	// panics makes every method except Close and those for schemas panic.
	panics any
	stop   error
}

var _ provider.Interface = (*fake)(nil)

func (f *fake) answer(response any) {
	if f.answers == nil {
		f.answers = map[reflect.Type]any{}
	}
	f.answers[reflect.TypeOf(response)] = response
}

func answered[Response any](f *fake, req any) (resp Response) {
	f.asked = append(f.asked, req)
	if f.panics != nil {
		panic(f.panics)
	}
	if a, ok := f.answers[reflect.TypeOf(resp)]; ok {
		resp = a.(Response)
	}
	return resp
}

func (f *fake) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return f.schema
}

func (f *fake) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return f.identities
}

func (f *fake) ValidateProviderConfig(_ context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	return answered[provider.ValidateProviderConfigResponse](f, req)
}

func (f *fake) ConfigureProvider(_ context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	return answered[provider.ConfigureProviderResponse](f, req)
}

func (f *fake) Stop(context.Context) error {
	if f.panics != nil {
		panic(f.panics)
	}
	return f.stop
}

func (f *fake) Close() error { return errors.New("closed by the server") }

func (f *fake) ValidateResourceConfig(_ context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	return answered[provider.ValidateResourceConfigResponse](f, req)
}

func (f *fake) UpgradeResourceState(_ context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	return answered[provider.UpgradeResourceStateResponse](f, req)
}

func (f *fake) UpgradeResourceIdentity(_ context.Context, req provider.UpgradeResourceIdentityRequest) provider.UpgradeResourceIdentityResponse {
	return answered[provider.UpgradeResourceIdentityResponse](f, req)
}

func (f *fake) ReadResource(_ context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return answered[provider.ReadResourceResponse](f, req)
}

func (f *fake) PlanResourceChange(_ context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return answered[provider.PlanResourceChangeResponse](f, req)
}

func (f *fake) ApplyResourceChange(_ context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	return answered[provider.ApplyResourceChangeResponse](f, req)
}

func (f *fake) ImportResourceState(_ context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	return answered[provider.ImportResourceStateResponse](f, req)
}

func (f *fake) MoveResourceState(_ context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	return answered[provider.MoveResourceStateResponse](f, req)
}

func (f *fake) GenerateResourceConfig(_ context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	return answered[provider.GenerateResourceConfigResponse](f, req)
}

func (f *fake) ValidateDataResourceConfig(_ context.Context, req provider.ValidateDataResourceConfigRequest) provider.ValidateDataResourceConfigResponse {
	return answered[provider.ValidateDataResourceConfigResponse](f, req)
}

func (f *fake) ReadDataSource(_ context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	return answered[provider.ReadDataSourceResponse](f, req)
}

func (f *fake) ValidateEphemeralResourceConfig(_ context.Context, req provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	return answered[provider.ValidateEphemeralResourceConfigResponse](f, req)
}

func (f *fake) OpenEphemeralResource(_ context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	return answered[provider.OpenEphemeralResourceResponse](f, req)
}

func (f *fake) RenewEphemeralResource(_ context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	return answered[provider.RenewEphemeralResourceResponse](f, req)
}

func (f *fake) CloseEphemeralResource(_ context.Context, req provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	return answered[provider.CloseEphemeralResourceResponse](f, req)
}

func (f *fake) CallFunction(_ context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	return answered[provider.CallFunctionResponse](f, req)
}

func (f *fake) ValidateListResourceConfig(_ context.Context, req provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	return answered[provider.ValidateListResourceConfigResponse](f, req)
}

func (f *fake) ListResource(_ context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	return answered[provider.ListResourceResponse](f, req)
}

func (f *fake) ValidateActionConfig(_ context.Context, req provider.ValidateActionConfigRequest) provider.ValidateActionConfigResponse {
	return answered[provider.ValidateActionConfigResponse](f, req)
}

func (f *fake) PlanAction(_ context.Context, req provider.PlanActionRequest) provider.PlanActionResponse {
	return answered[provider.PlanActionResponse](f, req)
}

func (f *fake) InvokeAction(_ context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	return answered[provider.InvokeActionResponse](f, req)
}

func (f *fake) ValidateStateStoreConfig(_ context.Context, req provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	return answered[provider.ValidateStateStoreConfigResponse](f, req)
}

func (f *fake) ConfigureStateStore(_ context.Context, req provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	return answered[provider.ConfigureStateStoreResponse](f, req)
}

func (f *fake) ReadStateBytes(_ context.Context, req provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	return answered[provider.ReadStateBytesResponse](f, req)
}

// WriteStateBytes reads and records the chunks, because a stream can be read only once.
func (f *fake) WriteStateBytes(_ context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	req.Chunks = slices.Values(slices.Collect(req.Chunks))
	return answered[provider.WriteStateBytesResponse](f, req)
}

func (f *fake) LockState(_ context.Context, req provider.LockStateRequest) provider.LockStateResponse {
	return answered[provider.LockStateResponse](f, req)
}

func (f *fake) UnlockState(_ context.Context, req provider.UnlockStateRequest) provider.UnlockStateResponse {
	return answered[provider.UnlockStateResponse](f, req)
}

func (f *fake) GetStates(_ context.Context, req provider.GetStatesRequest) provider.GetStatesResponse {
	return answered[provider.GetStatesResponse](f, req)
}

func (f *fake) DeleteState(_ context.Context, req provider.DeleteStateRequest) provider.DeleteStateResponse {
	return answered[provider.DeleteStateResponse](f, req)
}

// thing is the name of one type of each kind of the fake, such as a managed resource type and a data source.
const thing = "test_thing"

func newFake() *fake {
	attributes := map[string]*configschema.Attribute{
		"name": {Type: cty.String, Required: true, Description: "Name of the thing."},
		"size": {Type: cty.Number, Computed: true},
		"any":  {Type: cty.DynamicPseudoType, Optional: true},
		"tags": {Type: cty.Map(cty.String), Optional: true, Sensitive: true},
		"set":  {Type: cty.Set(cty.Object(map[string]cty.Type{"a": cty.Bool})), Optional: true},
		"nested": {Optional: true, NestedType: &configschema.Object{
			Nesting:    configschema.NestingList,
			Attributes: map[string]*configschema.Attribute{"b": {Type: cty.String, Optional: true, Computed: true}},
		}},
	}
	body := &configschema.Block{
		Attributes: attributes,
		BlockTypes: map[string]*configschema.NestedBlock{
			"block": {Nesting: configschema.NestingSet, Block: configschema.Block{
				Attributes: map[string]*configschema.Attribute{"c": {Type: cty.Number, Required: true}},
				BlockTypes: map[string]*configschema.NestedBlock{},
			}},
		},
	}
	small := &configschema.Block{
		Attributes: map[string]*configschema.Attribute{"host": {Type: cty.String, Optional: true}},
		BlockTypes: map[string]*configschema.NestedBlock{},
	}
	identity := &configschema.Object{
		Nesting: configschema.NestingSingle,
		Attributes: map[string]*configschema.Attribute{
			"host": {Type: cty.String, Optional: true},
			"path": {Type: cty.String, Required: true},
		},
	}
	types := func(version int64) map[string]provider.Schema {
		return map[string]provider.Schema{thing: {Version: version, Body: body}}
	}
	managed := map[string]provider.Schema{
		thing:        {Version: 3, Body: body, IdentityVersion: 1, Identity: identity},
		"test_plain": {Version: 0, Body: small},
	}
	return &fake{
		schema: provider.GetProviderSchemaResponse{
			Provider:               provider.Schema{Body: small},
			ProviderMeta:           provider.Schema{Body: small},
			ResourceTypes:          managed,
			DataSources:            types(0),
			EphemeralResourceTypes: types(0),
			ListResourceTypes:      types(0),
			Actions:                types(0),
			StateStores:            types(0),
			Functions: map[string]provider.FunctionDecl{"join": {
				Parameters: []provider.FunctionParam{
					{Name: "separator", Type: cty.String, AllowNullValue: true, Description: "Between *all*.", DescriptionKind: configschema.StringMarkdown},
				},
				VariadicParameter: &provider.FunctionParam{Name: "parts", Type: cty.DynamicPseudoType, AllowUnknownValues: true},
				ReturnType:        cty.List(cty.String),
				Summary:           "Joins.",
			}},
			ServerCapabilities: provider.ServerCapabilities{PlanDestroy: true, MoveResourceState: true, GetProviderSchemaOptional: true, GenerateResourceConfig: true},
		},
		identities: provider.GetResourceIdentitySchemasResponse{
			IdentityTypes: map[string]provider.IdentitySchema{thing: {Version: 1, Body: identity}},
		},
	}
}
