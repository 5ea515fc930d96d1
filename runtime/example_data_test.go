package runtime_test

import (
	"context"
	"fmt"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Shell is a data source: the login shell of a user.
type Shell struct {
	User string

	passwd map[string]string
}

type ShellOutput struct{ Path string }

func (s *Shell) Read(context.Context, runtime.NoConfig) (*ShellOutput, error) {
	path, ok := s.passwd[s.User]
	if !ok {
		return nil, fmt.Errorf("user %s: %w", s.User, runtime.ErrNotFound)
	}
	return &ShellOutput{Path: path}, nil
}

func ExampleMakeDataSourceWith() {
	passwd := map[string]string{"root": "/bin/sh"}
	lookUp(runtime.MakeDataSourceWith[Shell, *ShellOutput, runtime.NoConfig](func() *Shell { return &Shell{passwd: passwd} }),
		attrs{"user": str("root")}, attrs{"user": str("nobody")})
	// Output:
	// path = /bin/sh
	// user = root
	// user nobody: object not found
}

// Circle is a data source whose result depends only on its configuration.
type Circle struct{ Radius int }

type CircleOutput struct{ Area int }

func (c *Circle) Read(context.Context, runtime.NoConfig) (*CircleOutput, error) {
	return &CircleOutput{Area: 3 * c.Radius * c.Radius}, nil
}

func ExampleMakeDataSource() {
	lookUp(runtime.MakeDataSource[Circle, *CircleOutput, runtime.NoConfig](), attrs{"radius": num(2)})
	// Output:
	// area = 12
	// radius = 2
}

// Building is a data source whose result depends on the calling module.
type Building struct{}

type BuildingOutput struct{ Team string }

// BuildingModule is the provider_meta block of a module.
type BuildingModule struct{ Team string }

func (b *Building) Read(ctx context.Context, _ runtime.NoConfig) (*BuildingOutput, error) {
	module, ok := runtime.Meta[BuildingModule](ctx)
	if !ok {
		return &BuildingOutput{Team: "nobody in particular"}, nil
	}
	return &BuildingOutput{Team: module.Team}, nil
}

func ExampleMakeMeta() {
	p, err := runtime.New(runtime.Definition{
		Name:        "demo",
		Meta:        runtime.MakeMeta[BuildingModule](),
		DataSources: map[string]runtime.DataSourceRegistration{"building": runtime.MakeDataSource[Building, *BuildingOutput, runtime.NoConfig]()},
	})
	if err != nil {
		panic(err)
	}
	for _, meta := range []cty.Value{cty.ObjectVal(attrs{"team": str("networks")}), cty.NilVal} {
		resp := p.ReadDataSource(context.Background(), provider.ReadDataSourceRequest{
			TypeName: "demo_building", Config: cty.ObjectVal(attrs{"team": cty.NullVal(cty.String)}), ProviderMeta: meta,
		})
		display(resp.State)
	}
	// Output:
	// team = networks
	// team = nobody in particular
}

// lookUp reads a data source with each configuration and prints the results.
func lookUp(reg runtime.DataSourceRegistration, configs ...attrs) {
	p, err := runtime.New(runtime.Definition{Name: "demo", DataSources: map[string]runtime.DataSourceRegistration{"it": reg}})
	if err != nil {
		panic(err)
	}
	schema := p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{}).DataSources["demo_it"]
	for _, set := range configs {
		config := schema.Body.EmptyValue().AsValueMap()
		maps.Copy(config, set)
		resp := p.ReadDataSource(context.Background(), provider.ReadDataSourceRequest{TypeName: "demo_it", Config: cty.ObjectVal(config)})
		if !printed(resp.Diagnostics) {
			display(resp.State)
		}
	}
}
