package configschema_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

type object = map[string]cty.Value

func TestCoerceValue(t *testing.T) {
	t.Parallel()
	str := attrs{"a": optional(cty.String)}
	strObj := cty.Object(map[string]cty.Type{"a": cty.String})
	a := func(v string) cty.Value { return cty.ObjectVal(object{"a": cty.StringVal(v)}) }
	noA := cty.ObjectVal(object{"a": cty.NullVal(cty.String)})
	dyn := attrs{"a": optional(cty.DynamicPseudoType)}
	attribute := func(a *configschema.Attribute) *configschema.Block {
		return &configschema.Block{Attributes: attrs{"x": a}}
	}
	block := func(mode configschema.NestingMode, a attrs) *configschema.Block {
		return &configschema.Block{BlockTypes: blocks{"x": nestedBlock(mode, a)}}
	}
	x := func(v cty.Value) cty.Value { return cty.ObjectVal(object{"x": v}) }
	required := &configschema.Attribute{Type: cty.String, Required: true}
	withOptional := optional(cty.ObjectWithOptionalAttrs(map[string]cty.Type{"a": cty.String}, []string{"a"}))
	mustA := &configschema.Attribute{Optional: true, NestedType: &configschema.Object{Nesting: configschema.NestingList, Attributes: attrs{"a": required, "b": optional(cty.Bool)}}}
	for name, tt := range map[string]struct {
		schema   *configschema.Block
		in, want cty.Value
		err      string
	}{
		"nil schema":                             {nil, cty.EmptyObjectVal, cty.EmptyObjectVal, ""},
		"null":                                   {attribute(optional(cty.String)), cty.NullVal(cty.DynamicPseudoType), cty.NullVal(cty.Object(map[string]cty.Type{"x": cty.String})), ""},
		"unknown":                                {attribute(optional(cty.String)), cty.DynamicVal, cty.UnknownVal(cty.Object(map[string]cty.Type{"x": cty.String})), ""},
		"string instead of an object":            {attribute(optional(cty.String)), cty.StringVal("a"), cty.NilVal, "an object is required"},
		"a map":                                  {attribute(optional(cty.Number)), cty.MapVal(object{"x": cty.StringVal("1")}), x(cty.NumberIntVal(1)), ""},
		"converted":                              {attribute(optional(cty.String)), x(cty.NumberIntVal(1)), x(cty.StringVal("1")), ""},
		"missing":                                {attribute(optional(cty.String)), cty.EmptyObjectVal, x(cty.NullVal(cty.String)), ""},
		"missing, computed":                      {attribute(&configschema.Attribute{Type: cty.Bool, Computed: true}), cty.EmptyObjectVal, x(cty.NullVal(cty.Bool)), ""},
		"missing, required":                      {attribute(required), cty.EmptyObjectVal, cty.NilVal, `attribute "x" is required`},
		"null, required":                         {attribute(required), x(cty.NullVal(cty.String)), x(cty.NullVal(cty.String)), ""},
		"not convertible":                        {attribute(optional(cty.Bool)), x(cty.StringVal("no")), cty.NilVal, "x: a bool is required"},
		"unexpected":                             {attribute(optional(cty.Bool)), cty.ObjectVal(object{"y": cty.True}), cty.NilVal, `unexpected attribute "y"`},
		"marked":                                 {attribute(optional(cty.String)), x(cty.NumberIntVal(1).Mark("m")), x(cty.StringVal("1").Mark("m")), ""},
		"optional attributes":                    {attribute(withOptional), x(cty.EmptyObjectVal), x(noA), ""},
		"nested type":                            {attribute(mustA), x(cty.TupleVal([]cty.Value{a("1")})), x(cty.ListVal([]cty.Value{cty.ObjectVal(object{"a": cty.StringVal("1"), "b": cty.NullVal(cty.Bool)})})), ""},
		"nested type without required attribute": {attribute(mustA), x(cty.TupleVal([]cty.Value{cty.EmptyObjectVal})), cty.NilVal, `attribute "a" is required`},
		"single":                                 {block(configschema.NestingSingle, str), x(cty.EmptyObjectVal), x(noA), ""},
		"single, missing":                        {block(configschema.NestingSingle, str), cty.EmptyObjectVal, x(cty.NullVal(strObj)), ""},
		"group, missing":                         {block(configschema.NestingGroup, str), cty.EmptyObjectVal, x(noA), ""},
		"list":                                   {block(configschema.NestingList, str), x(cty.TupleVal([]cty.Value{a("1"), cty.EmptyObjectVal})), x(cty.ListVal([]cty.Value{a("1"), noA})), ""},
		"list, missing":                          {block(configschema.NestingList, str), cty.EmptyObjectVal, x(cty.ListValEmpty(strObj)), ""},
		"list, null":                             {block(configschema.NestingList, str), x(cty.NullVal(cty.List(strObj))), x(cty.NullVal(cty.List(strObj))), ""},
		"list, unknown":                          {block(configschema.NestingList, str), x(cty.DynamicVal), x(cty.UnknownVal(cty.List(strObj))), ""},
		"list with an invalid element":           {block(configschema.NestingList, str), x(cty.TupleVal([]cty.Value{a("1"), cty.ObjectVal(object{"a": cty.EmptyTupleVal})})), cty.NilVal, "x[1].a: string required"},
		"string instead of a list":               {block(configschema.NestingList, str), x(cty.StringVal("a")), cty.NilVal, "x: must be a list"},
		"dynamic list":                           {block(configschema.NestingList, dyn), x(cty.TupleVal([]cty.Value{a("1"), cty.ObjectVal(object{"a": cty.True})})), x(cty.TupleVal([]cty.Value{a("1"), cty.ObjectVal(object{"a": cty.True})})), ""},
		"set":                                    {block(configschema.NestingSet, str), x(cty.TupleVal([]cty.Value{a("1"), a("1")})), x(cty.SetVal([]cty.Value{a("1")})), ""},
		"map":                                    {block(configschema.NestingMap, str), x(cty.ObjectVal(object{"k": a("1")})), x(cty.MapVal(object{"k": a("1")})), ""},
		"list instead of a map":                  {block(configschema.NestingMap, str), x(cty.TupleVal([]cty.Value{a("1")})), cty.NilVal, "x: must be a map"},
		"dynamic map":                            {block(configschema.NestingMap, dyn), x(cty.MapVal(object{"k": a("1")})), x(cty.ObjectVal(object{"k": a("1")})), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.schema.CoerceValue(tt.in)
			if tt.err == "" && err == nil {
				if !got.RawEquals(tt.want) {
					t.Errorf("got %#v, want %#v", got, tt.want)
				}
				unmarked, _ := got.UnmarkDeep()
				if errs := unmarked.Type().TestConformance(tt.schema.ImpliedType()); len(errs) > 0 {
					t.Errorf("the value does not have the implied type: %v", errs)
				}
				return
			}
			text := "no error"
			if at, ok := errors.AsType[cty.PathError](err); ok && len(at.Path) > 0 {
				text = diag.FormatPath(at.Path) + ": " + err.Error()
			} else if err != nil {
				text = err.Error()
			}
			if !strings.Contains(text, tt.err) || tt.err == "" {
				t.Errorf("error %q, want %q", text, tt.err)
			}
			if tt.want == cty.NilVal && got.IsKnown() {
				t.Errorf("got the known value %#v, want an error and an unknown value", got)
			}
		})
	}
}

func TestSensitiveAndWriteOnlyPaths(t *testing.T) {
	t.Parallel()
	secret := &configschema.Attribute{Type: cty.String, Optional: true, Sensitive: true}
	written := &configschema.Attribute{Type: cty.String, Optional: true, WriteOnly: true}
	both := attrs{"s": secret, "w": written, "o": optional(cty.String)}
	whole := nestedType(configschema.NestingList, both)
	whole.Sensitive = true
	schema := &configschema.Block{
		Attributes: attrs{
			"s": secret, "w": written, "whole": whole,
			"list": nestedType(configschema.NestingList, both), "map": nestedType(configschema.NestingMap, both), "one": nestedType(configschema.NestingSingle, both),
		},
		BlockTypes: blocks{
			"b": nestedBlock(configschema.NestingList, both), "keyed": nestedBlock(configschema.NestingMap, attrs{"s": secret, "d": optional(cty.DynamicPseudoType)}),
			"bag": nestedBlock(configschema.NestingSet, attrs{"s": secret}), "none": nestedBlock(configschema.NestingSingle, both),
		},
	}
	values := cty.ObjectVal(object{"s": cty.NullVal(cty.String), "w": cty.StringVal("w"), "o": cty.NullVal(cty.String)})
	list := cty.ListVal([]cty.Value{values, cty.NullVal(values.Type()), values})
	element := cty.ObjectVal(object{"s": cty.StringVal("x")})
	v := cty.ObjectVal(object{
		"s": cty.StringVal("s").Mark("m"), "w": cty.NullVal(cty.String), "whole": list, "list": list.Mark("m"),
		"map": cty.MapVal(object{"k": values}), "one": cty.NullVal(values.Type()), "b": cty.ListVal([]cty.Value{values}),
		"keyed": cty.ObjectVal(object{"k": cty.ObjectVal(object{"s": cty.NullVal(cty.String), "d": cty.True})}),
		"bag":   cty.SetVal([]cty.Value{element}), "none": cty.UnknownVal(values.Type()),
	})
	format := func(paths []cty.Path) (out []string) {
		for _, path := range paths {
			for i, step := range path {
				if at, ok := step.(cty.IndexStep); ok && at.Key.Type().IsObjectType() {
					path[i] = cty.IndexStep{Key: cty.StringVal("element")}
				}
			}
			out = append(out, diag.FormatPath(path))
		}
		slices.Sort(out)
		return out
	}
	wantSensitive := []string{`b[0].s`, `bag["element"].s`, `keyed.k.s`, `list[0].s`, `list[2].s`, `map["k"].s`, `s`, `whole`}
	if diff := cmp.Diff(wantSensitive, format(schema.SensitivePaths(v, nil))); diff != "" {
		t.Errorf("sensitive paths (-want +got):\n%s", diff)
	}
	wantWriteOnly := []string{`base.b[0].w`, `base.list[0].w`, `base.list[2].w`, `base.map["k"].w`, `base.w`, `base.whole[0].w`, `base.whole[2].w`}
	if diff := cmp.Diff(wantWriteOnly, format(schema.WriteOnlyPaths(v, cty.GetAttrPath("base")))); diff != "" {
		t.Errorf("write-only paths (-want +got):\n%s", diff)
	}
	if got := format(whole.NestedType.SensitivePaths(list, nil)); !slices.Equal(got, []string{"[0].s", "[2].s"}) {
		t.Errorf("sensitive paths of a nested type: %q, want [0].s and [2].s", got)
	}
	for name, none := range map[string]cty.Value{"null": cty.NullVal(v.Type()), "unknown": cty.UnknownVal(v.Type()), "nothing": cty.NilVal} {
		if got := schema.SensitivePaths(none, nil); len(got) > 0 {
			t.Errorf("%s: got the sensitive paths %q, want none", name, format(got))
		}
	}
	wantSet := []string{`b[0].w`, `list[0].w`, `list[2].w`, `map["k"].w`, `whole[0].w`, `whole[2].w`}
	var set []cty.Path
	for path, value := range schema.WriteOnlyValues(v) {
		if !value.RawEquals(cty.StringVal("w")) {
			t.Errorf("%s: got %#v, want the string w", diag.FormatPath(path), value)
		}
		set = append(set, path)
	}
	if diff := cmp.Diff(wantSet, format(set)); diff != "" {
		t.Errorf("write-only values (-want +got):\n%s", diff)
	}
	for range schema.WriteOnlyValues(v) {
		break // ends the iteration without a panic
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	out := &configschema.Attribute{Type: cty.String, Computed: true}
	old := &configschema.Attribute{Type: cty.String, Optional: true, Deprecated: true}
	all := attrs{"in": optional(cty.String), "out": out, "old": old}
	oldBlock := nestedBlock(configschema.NestingList, all)
	oldBlock.Deprecated = true
	schema := &configschema.Block{
		Description: "d",
		Attributes:  attrs{"in": optional(cty.String), "out": out, "old": old, "nested": nestedType(configschema.NestingMap, all)},
		BlockTypes:  blocks{"b": nestedBlock(configschema.NestingList, all), "old_b": oldBlock},
	}
	names := func(b *configschema.Block) (names []string) {
		var attributes func(prefix string, all attrs)
		attributes = func(prefix string, all attrs) {
			for name, a := range all {
				names = append(names, prefix+name)
				if a.NestedType != nil {
					attributes(prefix+name+".", a.NestedType.Attributes)
				}
			}
		}
		attributes("", b.Attributes)
		for name, nested := range b.BlockTypes {
			names = append(names, name)
			attributes(name+".", nested.Attributes)
		}
		slices.Sort(names)
		return names
	}
	before := names(schema)
	for name, tt := range map[string]struct {
		got  *configschema.Block
		lost []string
	}{
		"nothing":    {schema.Filter(nil, nil), nil},
		"read-only":  {schema.Filter(configschema.FilterReadOnlyAttribute, nil), []string{"b.out", "nested.out", "old_b.out", "out"}},
		"deprecated": {schema.Filter(configschema.FilterDeprecatedAttribute, configschema.FilterDeprecatedBlock), []string{"b.old", "nested.old", "old", "old_b", "old_b.in", "old_b.old", "old_b.out"}},
		"either": {
			schema.Filter(configschema.FilterOr(configschema.FilterReadOnlyAttribute, configschema.FilterDeprecatedAttribute), nil),
			[]string{"b.old", "b.out", "nested.old", "nested.out", "old", "old_b.old", "old_b.out", "out"},
		},
		"by path": {schema.Filter(func(path cty.Path, _ *configschema.Attribute) bool {
			return path.Equals(cty.GetAttrPath("nested").GetAttr("in")) || path.Equals(cty.GetAttrPath("b").GetAttr("in"))
		}, nil), []string{"b.in", "nested.in"}},
	} {
		want := slices.DeleteFunc(slices.Clone(before), func(n string) bool { return slices.Contains(tt.lost, n) })
		if diff := cmp.Diff(want, names(tt.got)); diff != "" || tt.got.Description != "d" {
			t.Errorf("%s: description %q, want d; names (-want +got):\n%s", name, tt.got.Description, diff)
		}
	}
	if diff := cmp.Diff(before, names(schema)); diff != "" {
		t.Errorf("the schema itself has changed (-want +got):\n%s", diff)
	}
	if names := slices.Sorted(maps.Keys(all)); len(names) != 3 {
		t.Errorf("a shared map has the names %q, want 3 names", names)
	}
}
