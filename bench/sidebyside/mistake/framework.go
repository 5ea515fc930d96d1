package mistake

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Framework returns a server of the resource on terraform-plugin-framework, with the mistake.
func Framework(_ context.Context, kind Kind) (tfplugin.ProviderServer, error) {
	return providerserver.NewProtocol6WithError(&frameworkProvider{kind})()
}

// FrameworkUnitTest returns the first mistake found by the checks that the framework's documentation
// recommends for unit tests, or nil.
func FrameworkUnitTest(ctx context.Context, kind Kind) error {
	var resp resource.SchemaResponse
	(&frameworkThing{kind}).Schema(ctx, resource.SchemaRequest{}, &resp)
	for _, d := range resp.Schema.ValidateImplementation(ctx).Errors() {
		return errors.New(d.Detail())
	}
	return nil
}

type frameworkProvider struct{ kind Kind }

func (*frameworkProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerName
}

func (*frameworkProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (*frameworkProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (*frameworkProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *frameworkProvider) Resources(context.Context) []func() resource.Resource {
	if p.kind == NearMiss {
		return []func() resource.Resource{func() resource.Resource { return &frameworkNearMiss{&frameworkThing{}} }}
	}
	return []func() resource.Resource{func() resource.Resource { return &frameworkThing{p.kind} }}
}

type frameworkThing struct{ kind Kind }

type frameworkModel struct {
	Name  types.String `tfsdk:"name"`
	Label types.String `tfsdk:"label"`
	Size  types.Int64  `tfsdk:"size"`
}

type frameworkID struct {
	Name types.String `tfsdk:"name"`
}

func (*frameworkThing) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_thing"
}

func (t *frameworkThing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	label := schema.StringAttribute{Optional: true}
	switch t.kind {
	case UnknownName:
		label.Validators = []validator.String{stringvalidator.ConflictsWith(path.MatchRoot("lable"))}
	case BadDefault:
		label.Computed = true
		label.Default = stringdefault.StaticString(otherText)
		label.Validators = []validator.String{stringvalidator.OneOf("a", "b")}
	}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name":  schema.StringAttribute{Required: true},
		"label": label,
		"size": schema.Int64Attribute{
			Computed: true, PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
	}}
}

func (*frameworkThing) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (t *frameworkThing) ModifyPlan(ctx context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if t.kind == InvalidPlan {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("label"), otherText)...)
	}
}

func (t *frameworkThing) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m frameworkModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	m.Size = types.Int64Value(size)
	switch t.kind {
	case UnknownOutput:
		m.Size = types.Int64Unknown()
	case OtherValue:
		m.Label = types.StringValue(otherText)
	case NoObject:
		return
	case Panics:
		panic("create")
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, frameworkID{m.Name})...)
}

func (t *frameworkThing) Read(ctx context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
	if t.kind == OtherIdentity {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, frameworkID{types.StringValue(otherText)})...)
	}
}

func (t *frameworkThing) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m frameworkModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	if t.kind == BrokenPromise {
		m.Size = types.Int64Value(otherSize)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (*frameworkThing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// frameworkNearMiss has a method ModifyPlan whose response is not a pointer.
type frameworkNearMiss struct{ *frameworkThing }

func (*frameworkNearMiss) ModifyPlan(context.Context, resource.ModifyPlanRequest, resource.ModifyPlanResponse) {
}
