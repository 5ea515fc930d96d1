package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// schemasOf returns all schemas of objects by title.
func schemasOf(s provider.GetProviderSchemaResponse) map[string]provider.Schema {
	all := map[string]provider.Schema{"the provider": s.Provider}
	for _, f := range families {
		for name, schema := range f.schemas(s) {
			all[f.dir+"/"+name] = schema
		}
	}
	return all
}

// undescribed returns an error for everything without a description.
func undescribed(s provider.GetProviderSchemaResponse) error {
	var errs []error
	check := func(what, description string) {
		if strings.TrimSpace(description) == "" {
			errs = append(errs, fmt.Errorf("%s has no description: add a doc comment, and list its struct in the go:generate line of cmd/describe", what))
		}
	}
	schemas := schemasOf(s)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		schema := schemas[name]
		walkBlock(name, schema.Body, check)
		if schema.Identity != nil {
			walkAttributes(name+", identity", schema.Identity.Attributes, check)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Functions)) {
		f := s.Functions[name]
		check("functions/"+name, f.Description)
		check("functions/"+name+", summary", f.Summary)
		for _, p := range parameters(f) {
			check("functions/"+name+", parameter "+p.Name, p.Description)
		}
	}
	return errors.Join(errs...)
}

func walkBlock(path string, b *configschema.Block, check func(what, description string)) {
	check(path, b.Description)
	walkAttributes(path, b.Attributes, check)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		walkBlock(path+", "+name, &b.BlockTypes[name].Block, check)
	}
}

func walkAttributes(path string, attrs map[string]*configschema.Attribute, check func(what, description string)) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		check(path+", "+name, attrs[name].Description)
		if nested := attrs[name].NestedType; nested != nil {
			walkAttributes(path+", "+name, nested.Attributes, check)
		}
	}
}

func parameters(f provider.FunctionDecl) []provider.FunctionParam {
	if f.VariadicParameter == nil {
		return f.Parameters
	}
	return append(slices.Clone(f.Parameters), *f.VariadicParameter)
}
