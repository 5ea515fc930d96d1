package guard_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// BenchmarkGuardOfFamilies measures the guard, as BenchmarkGuard does, for data sources,
// ephemeral resources, functions and list resources.
func BenchmarkGuardOfFamilies(b *testing.B) {
	for _, size := range []struct {
		name          string
		content, tags int
	}{{"small", 12, 3}, {"big", 64 << 10, 200}} {
		config := file(size.content, size.tags, cty.NullVal(cty.String), cty.NullVal(cty.Number), cty.NullVal(cty.Bool))
		made := func() cty.Value { // each call returns a new value, like a decoded response
			return file(size.content, size.tags, cty.StringVal("0644"), cty.NumberIntVal(int64(size.content)), cty.True)
		}
		text, tags := strings.Repeat("x", size.content), made().GetAttr("tags")
		c := &canned{
			body: fileBody(), id: thingIdentity(),
			data: provider.ReadDataSourceResponse{State: made()},
			open: provider.OpenEphemeralResourceResponse{Result: made(), Private: []byte("lease"), RenewAt: time.Now().Add(time.Hour)},
		}
		p, ctx := guard.Wrap(c), b.Context()
		run := func(name string, call func() error) {
			b.Run(name+"/"+size.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		data := provider.ReadDataSourceRequest{TypeName: "file", Config: config}
		run("data", func() error { return p.ReadDataSource(ctx, data).Diagnostics.Err() })
		open := provider.OpenEphemeralResourceRequest{TypeName: "file", Config: config}
		run("open", func() error { return p.OpenEphemeralResource(ctx, open).Diagnostics.Err() })

		for _, f := range []struct {
			name   string
			arg    cty.Value
			result cty.Value
		}{{"text", cty.StringVal(text), cty.StringVal(text)}, {"number", cty.NumberIntVal(7), cty.NumberIntVal(7)}, {"map", tags, tags}} {
			req := provider.CallFunctionRequest{FunctionName: f.name, Arguments: []cty.Value{f.arg}}
			run("function of a "+f.name, func() error {
				c.result = f.result
				return p.CallFunction(ctx, req).Err
			})
		}

		c.results = slices.Values([]provider.ListResult{{
			DisplayName: "motd", Identity: identityOf(cty.StringVal("local"), cty.StringVal("/etc/motd")), ResourceObject: made(),
		}})
		list := provider.ListResourceRequest{TypeName: "file", IncludeResourceObject: true}
		run("list result", func() (err error) {
			for r := range p.ListResource(ctx, list).Results {
				err = r.Diagnostics.Err()
			}
			return err
		})
	}
}

// canned returns a fixed response to each call, so that only the guard is measured.
type canned struct {
	provider.Unimplemented
	body  *configschema.Block
	id    *configschema.Object
	read  provider.ReadResourceResponse
	plan  provider.PlanResourceChangeResponse
	apply provider.ApplyResourceChangeResponse

	data    provider.ReadDataSourceResponse
	open    provider.OpenEphemeralResourceResponse
	result  cty.Value
	results iter.Seq[provider.ListResult]
}

func (c *canned) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	one := func(ty cty.Type) provider.FunctionDecl {
		return provider.FunctionDecl{Parameters: []provider.FunctionParam{{Name: "value", Type: ty}}, ReturnType: ty}
	}
	file := map[string]provider.Schema{"file": {Body: c.body}}
	return provider.GetProviderSchemaResponse{
		Provider:               provider.Schema{Body: &configschema.Block{}},
		ResourceTypes:          map[string]provider.Schema{"file": {Body: c.body, Identity: c.id}},
		DataSources:            file,
		EphemeralResourceTypes: file,
		ListResourceTypes:      map[string]provider.Schema{"file": {Body: &configschema.Block{}}},
		Functions:              map[string]provider.FunctionDecl{"text": one(cty.String), "number": one(cty.Number), "map": one(cty.Map(cty.String))},
	}
}

func (c *canned) ReadDataSource(context.Context, provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	return c.data
}

func (c *canned) OpenEphemeralResource(context.Context, provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	return c.open
}

func (c *canned) CallFunction(context.Context, provider.CallFunctionRequest) provider.CallFunctionResponse {
	return provider.CallFunctionResponse{Result: c.result}
}

func (c *canned) ListResource(context.Context, provider.ListResourceRequest) provider.ListResourceResponse {
	return provider.ListResourceResponse{Results: c.results}
}

func (c *canned) ReadResource(context.Context, provider.ReadResourceRequest) provider.ReadResourceResponse {
	return c.read
}

func (c *canned) PlanResourceChange(context.Context, provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return c.plan
}

func (c *canned) ApplyResourceChange(context.Context, provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	return c.apply
}

func fileBody() *configschema.Block {
	return &configschema.Block{Attributes: attributes{
		"path":    {Type: cty.String, Required: true},
		"content": {Type: cty.String, Optional: true},
		"mode":    {Type: cty.String, Optional: true, Computed: true},
		"size":    {Type: cty.Number, Computed: true},
		"exists":  {Type: cty.Bool, Computed: true},
		"tags":    {Type: cty.Map(cty.String), Optional: true},
	}}
}

// file returns a new value for each call, as after decoding: nothing is shared.
func file(contentBytes, tags int, mode, size, exists cty.Value) cty.Value {
	all := make(map[string]cty.Value, tags)
	for i := range tags {
		all[fmt.Sprintf("tag-%03d", i)] = cty.StringVal(fmt.Sprintf("value of the tag %03d", i))
	}
	return cty.ObjectVal(values{
		"path": cty.StringVal("/etc/motd"), "content": cty.StringVal(strings.Repeat("x", contentBytes)),
		"mode": mode, "size": size, "exists": exists, "tags": cty.MapVal(all),
	})
}

// BenchmarkGuard measures the cost that the guard adds to a call that breaks no rule.
func BenchmarkGuard(b *testing.B) {
	for _, size := range []struct {
		name          string
		content, tags int
	}{{"small", 12, 3}, {"big", 64 << 10, 200}} {
		done := func() cty.Value {
			return file(size.content, size.tags, cty.StringVal("0644"), cty.NumberIntVal(int64(size.content)), cty.True)
		}
		config := file(size.content, size.tags, cty.NullVal(cty.String), cty.NullVal(cty.Number), cty.NullVal(cty.Bool))
		planned := file(size.content, size.tags, cty.UnknownVal(cty.String), cty.UnknownVal(cty.Number), cty.UnknownVal(cty.Bool))
		body := fileBody()
		null := cty.NullVal(body.ImpliedType())
		private := []byte("private")
		id := func() cty.Value { return identityOf(cty.StringVal("local"), cty.StringVal("/etc/motd")) }
		c := &canned{
			body: body, id: thingIdentity(),
			read:  provider.ReadResourceResponse{NewState: done(), Private: private, Identity: id()},
			apply: provider.ApplyResourceChangeResponse{NewState: done(), Private: private, NewIdentity: id()},
		}
		p, ctx := guard.Wrap(c), b.Context()
		quiet := func(b *testing.B, messages diag.Diagnostics) {
			if len(messages) > 0 {
				b.Fatal(messages.Error())
			}
		}
		run := func(name string, call func() diag.Diagnostics) {
			b.Run(name+"/"+size.name, func(b *testing.B) {
				quiet(b, call())
				b.ReportAllocs()
				for b.Loop() {
					quiet(b, call())
				}
			})
		}

		read := provider.ReadResourceRequest{TypeName: "file", PriorState: done(), Private: private, CurrentIdentity: id()}
		run("read", func() diag.Diagnostics { return p.ReadResource(ctx, read).Diagnostics })

		create := provider.PlanResourceChangeRequest{
			TypeName: "file", PriorState: null, Config: config,
			ProposedNewState: objchange.ProposedNew(body, null, config),
		}
		c.plan = provider.PlanResourceChangeResponse{PlannedState: planned}
		run("plan create", func() diag.Diagnostics { return p.PlanResourceChange(ctx, create).Diagnostics })

		noop := provider.PlanResourceChangeRequest{
			TypeName: "file", PriorState: done(), Config: config, PriorPrivate: private, PriorIdentity: id(),
			ProposedNewState: objchange.ProposedNew(body, done(), config),
		}
		c.plan = provider.PlanResourceChangeResponse{PlannedState: done(), PlannedPrivate: private, PlannedIdentity: id()}
		run("plan noop", func() diag.Diagnostics { return p.PlanResourceChange(ctx, noop).Diagnostics })

		apply := provider.ApplyResourceChangeRequest{TypeName: "file", PriorState: null, Config: config, PlannedState: planned}
		run("apply create", func() diag.Diagnostics { return p.ApplyResourceChange(ctx, apply).Diagnostics })

		update := provider.ApplyResourceChangeRequest{
			TypeName: "file", PriorState: done(), Config: config, PlannedState: done(), PlannedPrivate: private, PlannedIdentity: id(),
		}
		run("apply update", func() diag.Diagnostics { return p.ApplyResourceChange(ctx, update).Diagnostics })
	}
}
