package provider

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
)

// downgrade returns factories that serve protocol 5, as the tests of the module expect.
func downgrade(factories map[string]func() (tfprotov6.ProviderServer, error)) map[string]func() (tfprotov5.ProviderServer, error) {
	out := map[string]func() (tfprotov5.ProviderServer, error){}
	for name, factory := range factories {
		out[name] = func() (tfprotov5.ProviderServer, error) {
			server, err := factory()
			if err != nil {
				return nil, err
			}
			return tf6to5server.DowngradeServer(context.Background(), func() tfprotov6.ProviderServer { return server })
		}
	}
	return out
}

// TestPortSchema checks that the port has the types, attributes and functions of the module's
// own provider.
func TestPortSchema(t *testing.T) {
	theirs, err := providerserver.NewProtocol5WithError(New())()
	if err != nil {
		t.Fatal(err)
	}
	want := schemaOf(t, theirs)
	if len(want) == 0 {
		t.Error("the module's own provider has no schema")
	}
	for _, factory := range protoV5ProviderFactories() {
		ours, err := factory()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, schemaOf(t, ours)); diff != "" {
			t.Errorf("schema (-module +port):\n%s", diff)
		}
	}
}

// schemaOf returns a line for each attribute and function.
func schemaOf(t *testing.T, server tfprotov5.ProviderServer) map[string]string {
	t.Helper()
	resp, err := server.GetProviderSchema(t.Context(), &tfprotov5.GetProviderSchemaRequest{})
	if err != nil || len(resp.Diagnostics) > 0 {
		t.Fatal(err, resp)
	}
	schemas := map[string]*tfprotov5.Schema{"provider": resp.Provider}
	for name, a := range resp.ActionSchemas {
		schemas["action "+name] = a.Schema
	}
	for kind, of := range map[string]map[string]*tfprotov5.Schema{
		"resource": resp.ResourceSchemas, "data": resp.DataSourceSchemas, "ephemeral": resp.EphemeralResourceSchemas,
	} {
		for name, schema := range of {
			schemas[kind+" "+name] = schema
		}
	}
	lines := map[string]string{}
	for name, schema := range schemas {
		for _, a := range schema.Block.Attributes {
			lines[name+"."+a.Name] = fmt.Sprintf("%s required=%t optional=%t computed=%t sensitive=%t deprecated=%t",
				a.Type, a.Required, a.Optional, a.Computed, a.Sensitive, a.Deprecated)
		}
	}
	for name, f := range resp.Functions {
		line := ""
		for _, p := range f.Parameters {
			line += fmt.Sprintf("%s %s, null=%t ", p.Name, p.Type, p.AllowNullValue)
		}
		lines["function "+name] = line + f.Return.Type.String()
	}
	return lines
}
