package tfprotov6_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// echo returns the values of its requests, so that only the server is measured.
type echo struct {
	provider.Unimplemented
	body *configschema.Block
}

func (e echo) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{ResourceTypes: map[string]provider.Schema{thing: {Body: e.body}}}
}

func (e echo) PlanResourceChange(_ context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return provider.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate}
}

func (e echo) ReadResource(_ context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return provider.ReadResourceResponse{NewState: req.PriorState, Private: req.Private}
}

// BenchmarkServer measures an RPC with a trivial provider and, for comparison, the same
// conversions with go-cty's msgpack.
func BenchmarkServer(b *testing.B) {
	body := &configschema.Block{Attributes: map[string]*configschema.Attribute{
		"path":    {Type: cty.String, Required: true},
		"content": {Type: cty.String, Required: true},
		"mode":    {Type: cty.String, Optional: true, Computed: true},
		"size":    {Type: cty.Number, Computed: true},
		"exists":  {Type: cty.Bool, Computed: true},
		"tags":    {Type: cty.Map(cty.String), Optional: true},
	}}
	ty := body.ImpliedType()
	server, err := tfprotov6.NewServer(b.Context(), echo{body: body})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []struct {
		name          string
		content, tags int
	}{{"small", 64, 3}, {"big", 64 << 10, 200}} {
		tags := make(map[string]cty.Value)
		for i := range size.tags {
			tags[fmt.Sprintf("tag-%03d", i)] = cty.StringVal(fmt.Sprintf("value of tag %d", i))
		}
		data, err := ctymsgpack.Marshal(cty.ObjectVal(map[string]cty.Value{
			"path":    cty.StringVal("/etc/application/settings.conf"),
			"content": cty.StringVal(strings.Repeat("key = \"value\"\n", size.content/14+1)[:size.content]),
			"mode":    cty.StringVal("0644"),
			"size":    cty.NumberIntVal(int64(size.content)),
			"exists":  cty.True,
			"tags":    cty.MapVal(tags),
		}), ty)
		if err != nil {
			b.Fatal(err)
		}
		dv := &tfplugin.DynamicValue{MsgPack: data}
		plan := &tfplugin.PlanResourceChangeRequest{TypeName: thing, PriorState: dv, ProposedNewState: dv, Config: dv}
		read := &tfplugin.ReadResourceRequest{TypeName: thing, CurrentState: dv}
		b.Run("plan/"+size.name+"/server", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if resp, err := server.PlanResourceChange(b.Context(), plan); err != nil || resp.PlannedState == nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("plan/"+size.name+"/byhand", func(b *testing.B) { byHand(b, ty, data, 3) })
		b.Run("read/"+size.name+"/server", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if resp, err := server.ReadResource(b.Context(), read); err != nil || resp.NewState == nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("read/"+size.name+"/byhand", func(b *testing.B) { byHand(b, ty, data, 1) })
	}
}

func byHand(b *testing.B, ty cty.Type, data []byte, decodes int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		var v cty.Value
		var err error
		for range decodes {
			if v, err = ctymsgpack.Unmarshal(data, ty); err != nil {
				b.Fatal(err)
			}
		}
		if _, err = ctymsgpack.Marshal(v, ty); err != nil {
			b.Fatal(err)
		}
	}
}
