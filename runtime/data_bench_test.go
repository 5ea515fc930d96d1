package runtime_test

import (
	"strconv"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func BenchmarkReadDataSource(b *testing.B) {
	p, err := runtime.New(runtime.Definition{Name: "test", DataSources: map[string]runtime.DataSourceRegistration{
		"lookup": runtime.MakeDataSource[Lookup, *LookupOutput, runtime.NoConfig](),
	}})
	if err != nil {
		b.Fatal(err)
	}
	schema := p.GetProviderSchema(b.Context(), provider.GetProviderSchemaRequest{}).DataSources["test_lookup"]
	for _, ports := range []int{0, 200} {
		b.Run(strconv.Itoa(ports)+"-objects", func(b *testing.B) {
			config := schema.Body.EmptyValue().AsValueMap()
			config["name"] = str("a")
			elems := make([]cty.Value, ports)
			for i := range elems {
				elems[i] = port(int64(i), cty.NullVal(cty.String), cty.NullVal(cty.String))
			}
			if ports > 0 {
				config["ports"] = cty.ListVal(elems)
			}
			req := provider.ReadDataSourceRequest{TypeName: "test_lookup", Config: cty.ObjectVal(config)}
			b.ReportAllocs()
			for b.Loop() {
				if resp := p.ReadDataSource(b.Context(), req); resp.Diagnostics.HasErrors() {
					b.Fatal(resp.Diagnostics)
				}
			}
		})
	}
}

func BenchmarkEphemeral(b *testing.B) {
	o := &office{}
	p, err := runtime.New(runtime.Definition{Name: "test", EphemeralResources: map[string]runtime.EphemeralRegistration{
		"token": runtime.MakeEphemeralWith[Token, *TokenOutput, TokenSession, runtime.NoConfig](func() *Token { return &Token{office: o} }),
	}})
	if err != nil {
		b.Fatal(err)
	}
	config := p.GetProviderSchema(b.Context(), provider.GetProviderSchemaRequest{}).EphemeralResourceTypes["test_token"].Body.EmptyValue().AsValueMap()
	config["role"] = str("reader")
	req := provider.OpenEphemeralResourceRequest{TypeName: "test_token", Config: cty.ObjectVal(config)}
	b.ReportAllocs()
	for b.Loop() {
		opened := p.OpenEphemeralResource(b.Context(), req)
		renewed := p.RenewEphemeralResource(b.Context(), provider.RenewEphemeralResourceRequest{TypeName: "test_token", Private: opened.Private})
		closed := p.CloseEphemeralResource(b.Context(), provider.CloseEphemeralResourceRequest{TypeName: "test_token", Private: renewed.Private})
		if closed.Diagnostics.HasErrors() {
			b.Fatal(closed.Diagnostics)
		}
	}
}
