package hostile_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/internal/wire/wiretest"
)

// places has the paths in configurations of the posix provider.
var places = []string{"/a", "/a/b", "/a/b/c", "/motd", "/etc/app", "/etc/app/motd"}

// sensible has typical values of attributes by name, so that many
// configurations are valid.
var sensible = map[string][]cty.Value{
	"name":            texts("a", "first", "page-1", "s"),
	"title":           texts("A", "First", "FIRST", "Über uns"),
	"text":            texts("hello", "good bye", "", "forbidden", "e\u0301"),
	"mode":            texts("600", "0600", "644", "0644", "7777", "1755"),
	"meta":            texts(`{"a":1}`, `{ "a": 1 }`, `[]`, `null`, `{"a":1,"a":2}`, `1e400`),
	"language":        texts("en-GB", "EN-gb", "de"),
	"heading":         texts("One", "Two"),
	"word":            texts("x", "y"),
	"page":            texts("a", "first"),
	"serial":          texts("7", "8"),
	"purpose":         texts("read", "write"),
	"renew_after":     texts("1h", "90s", "1ms"),
	"prefix":          texts("", "a", "f"),
	"create":          texts("1m", "90s", "1h0m"),
	"update":          texts("1m", "90s"),
	"delete":          texts("1m", "90s"),
	"read":            texts("1m", "90s"),
	"level":           numbers(1, 2, 6),
	"rank":            numbers(1, 2),
	"until":           numbers(0, 1, 1<<40),
	"text_wo_version": numbers(1, 2),
	"times":           numbers(1, 3),
	"excerpt":         numbers(0, 3, 100),
	"path":            texts(places...),
	"host":            texts("local"),
	"owner":           texts("root", "ada", "0", "7", "12345"),
	"group":           texts("root", "0", "12345"),
	"content":         texts("hello", "", "other", "\u2028"),
	"content_base64":  texts("aGVsbG8=", "", "//4=", "aGVsbG8"),
	"content_wo":      texts("hello", "secret"),
	"source":          texts("/nonexistent/file", "doc.go"),
	"target":          texts("/a", "x", "../b"),
	"drawer":          texts("states", "other"),
	"separator":       texts("", ", "),
	"module":          texts("m"),
}

func texts(all ...string) []cty.Value { return values(cty.StringVal, all) }

func numbers(all ...int64) []cty.Value { return values(cty.NumberIntVal, all) }

func values[T any](of func(T) cty.Value, all []T) []cty.Value {
	made := make([]cty.Value, len(all))
	for i, v := range all {
		made[i] = of(v)
	}
	return made
}

// configOf returns a configuration that is valid for the schema: required
// attributes are set, those that are only computed are not. The provider may still reject it.
func configOf(r *rand.Rand, b *configschema.Block) cty.Value {
	all := make(map[string]cty.Value)
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		all[name] = attributeOf(r, name, b.Attributes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		all[name] = blocksOf(r, b.BlockTypes[name])
	}
	return cty.ObjectVal(all)
}

func attributeOf(r *rand.Rand, name string, a *configschema.Attribute) cty.Value {
	ty := a.ImpliedType()
	if a.Computed && !a.Optional || !a.Required && r.IntN(5) < 3 {
		return cty.NullVal(ty)
	}
	if good := sensible[name]; len(good) > 0 && good[0].Type() == ty && !oneIn(r, 12) {
		return good[r.IntN(len(good))]
	}
	if a.NestedType == nil {
		v := wiretest.Value(r, ty, wiretest.Options{NoNull: a.Required, Short: !oneIn(r, 100)})
		return v
	}
	object := func() cty.Value {
		all := make(map[string]cty.Value)
		for _, name := range slices.Sorted(maps.Keys(a.NestedType.Attributes)) {
			all[name] = attributeOf(r, name, a.NestedType.Attributes[name])
		}
		return cty.ObjectVal(all)
	}
	if a.NestedType.Nesting == configschema.NestingSingle {
		return object()
	}
	return collectionOf(r, a.NestedType.Nesting, ty.ElementType(), object)
}

func blocksOf(r *rand.Rand, b *configschema.NestedBlock) cty.Value {
	object := func() cty.Value { return configOf(r, &b.Block) }
	switch b.Nesting {
	case configschema.NestingSingle:
		if r.IntN(2) == 0 {
			return cty.NullVal(b.Block.ImpliedType())
		}
		return object()
	case configschema.NestingGroup:
		return object()
	default:
		return collectionOf(r, b.Nesting, b.Block.ImpliedType(), object)
	}
}

// collectionOf returns a collection of up to three objects.
func collectionOf(r *rand.Rand, nesting configschema.NestingMode, ty cty.Type, object func() cty.Value) cty.Value {
	n := r.IntN(4)
	switch {
	case nesting == configschema.NestingMap:
		all := make(map[string]cty.Value)
		for range n {
			all[pick(r, "a", "b", "c", "")] = object()
		}
		if len(all) == 0 {
			return cty.MapValEmpty(ty)
		}
		return cty.MapVal(all)
	case n == 0 && nesting == configschema.NestingSet:
		return cty.SetValEmpty(ty)
	case n == 0:
		return cty.ListValEmpty(ty)
	}
	all := make([]cty.Value, n)
	for i := range all {
		all[i] = object()
	}
	if nesting == configschema.NestingSet {
		return cty.SetVal(all)
	}
	return cty.ListVal(all)
}

// blur returns a configuration with some unknown parts, as if they referred to
// objects that do not exist yet. Null attributes remain null.
func blur(r *rand.Rand, config cty.Value) cty.Value {
	blurred, err := cty.Transform(config, func(at cty.Path, v cty.Value) (cty.Value, error) {
		if len(at) == 0 || v.IsNull() || !oneIn(r, 6) {
			return v, nil
		}
		if _, inSet := at[len(at)-1].(cty.IndexStep); inSet && v.Type().IsObjectType() {
			return v, nil // elements that may be blocks, which are never unknown
		}
		unknown := cty.UnknownVal(v.Type())
		if oneIn(r, 2) {
			unknown = unknown.RefineNotNull()
		}
		return unknown, nil
	})
	if err != nil {
		return config
	}
	return blurred
}
