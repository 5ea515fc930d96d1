package configschema_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// brokenAt returns the paths of joined errors, "" for an error without a path.
func brokenAt(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		t.Fatalf("got the error %v, want a joined error", err)
	}
	var at []string
	for _, err := range joined.Unwrap() {
		var pathErr cty.PathError
		if !errors.As(err, &pathErr) {
			at = append(at, "")
			continue
		}
		text := ""
		for _, step := range pathErr.Path {
			text += "." + step.(cty.GetAttrStep).Name
		}
		at = append(at, text)
	}
	return at
}

func TestInternalValidate(t *testing.T) {
	t.Parallel()
	const (
		single, group = configschema.NestingSingle, configschema.NestingGroup
		list, set     = configschema.NestingList, configschema.NestingSet
		mapping       = configschema.NestingMap
	)
	ok := attrs{"a": optional(cty.String)}
	items := func(mode configschema.NestingMode, min, max int) *configschema.Block {
		b := nestedBlock(mode, ok)
		b.MinItems, b.MaxItems = min, max
		return &configschema.Block{BlockTypes: blocks{"b": b}}
	}
	block := func(name string, b *configschema.NestedBlock) *configschema.Block {
		return &configschema.Block{BlockTypes: blocks{name: b}}
	}
	attr := func(a *configschema.Attribute) *configschema.Block {
		return &configschema.Block{Attributes: attrs{"a": a}}
	}
	writeOnly := &configschema.Attribute{Type: cty.String, Optional: true, WriteOnly: true}
	chosen := attrs{"a": {Type: cty.String, Optional: true, Computed: true}}
	computed := func(mode configschema.NestingMode, min int, a attrs) *configschema.Block {
		b := nestedBlock(mode, a)
		b.Computed, b.MinItems = true, min
		return block("b", b)
	}
	tests := map[string]struct {
		block *configschema.Block
		want  []string
	}{
		"empty":                                {&configschema.Block{}, nil},
		"nil block (S1)":                       {nil, []string{""}},
		"nil attribute (S1)":                   {attr(nil), []string{".a"}},
		"nil nested block (S1)":                {block("b", nil), []string{".b"}},
		"attribute and block (S2)":             {&configschema.Block{Attributes: ok, BlockTypes: blocks{"a": nestedBlock(list, ok)}}, []string{".a"}},
		"block name (S3)":                      {block("Not-a-name", nestedBlock(list, ok)), []string{".Not-a-name"}},
		"attribute name is not restricted":     {&configschema.Block{Attributes: attrs{"Not-a-name": optional(cty.String)}}, nil},
		"negative items (S4)":                  {items(list, -1, 0), []string{".b"}},
		"negative maximum (S4)":                {items(mapping, 0, -1), []string{".b", ".b"}},
		"single with bounds 0 and 0":           {items(single, 0, 0), nil},
		"single with bounds 1 and 1":           {items(single, 1, 1), nil},
		"single with bounds 0 and 1 (S5)":      {items(single, 0, 1), []string{".b"}},
		"single with bounds 2 and 2 (S6)":      {items(single, 2, 2), []string{".b"}},
		"group with minimum (S7)":              {items(group, 1, 0), []string{".b"}},
		"map with maximum (S7)":                {items(mapping, 0, 1), []string{".b"}},
		"list with bounds":                     {items(list, 1, 2), nil},
		"list without maximum":                 {items(list, 3, 0), nil},
		"list with minimum above maximum (S8)": {items(list, 3, 2), []string{".b"}},
		"set with minimum above maximum (S8)":  {items(set, 3, 2), []string{".b"}},
		"dynamic in set block (S9)":            {block("b", nestedBlock(set, attrs{"a": optional(cty.List(cty.DynamicPseudoType))})), []string{".b"}},
		"dynamic in list block":                {block("b", nestedBlock(list, attrs{"a": optional(cty.DynamicPseudoType)})), nil},
		"nested write-only in set block (S10)": {
			block("b", nestedBlock(set, attrs{"a": nestedType(list, attrs{"x": writeOnly})})), []string{".b"},
		},
		"nesting unset (S11)":       {block("b", nestedBlock(0, ok)), []string{".b"}},
		"no flag (S12)":             {attr(&configschema.Attribute{Type: cty.String}), []string{".a"}},
		"required, optional (S13)":  {attr(&configschema.Attribute{Type: cty.String, Required: true, Optional: true}), []string{".a"}},
		"required, computed (S13)":  {attr(&configschema.Attribute{Type: cty.String, Required: true, Computed: true}), []string{".a"}},
		"optional, computed":        {attr(&configschema.Attribute{Type: cty.String, Optional: true, Computed: true}), nil},
		"no type (S14)":             {attr(&configschema.Attribute{Optional: true}), []string{".a"}},
		"two types (S14)":           {attr(&configschema.Attribute{Optional: true, Type: cty.String, NestedType: &configschema.Object{Nesting: list}}), []string{".a"}},
		"nested type group (S15)":   {attr(nestedType(group, ok)), []string{".a"}},
		"nested type unset (S15)":   {attr(nestedType(0, ok)), []string{".a"}},
		"dynamic in a set (S16)":    {attr(nestedType(set, attrs{"x": optional(cty.DynamicPseudoType)})), []string{".a"}},
		"write-only in a set (S17)": {attr(nestedType(set, attrs{"x": writeOnly})), []string{".a"}},
		"write-only in a list":      {attr(nestedType(list, attrs{"x": writeOnly})), nil},
		"message only (S18)": {
			&configschema.Block{DeprecationMessage: "old", Attributes: attrs{"a": {Type: cty.String, Optional: true, DeprecationMessage: "old"}}},
			[]string{"", ".a"},
		},
		"deprecated with message":             {&configschema.Block{Deprecated: true, DeprecationMessage: "old"}, nil},
		"computed blocks (S19)":               {computed(list, 0, chosen), nil},
		"computed block, group (S19)":         {computed(group, 0, chosen), []string{".b"}},
		"computed list with minimum (S19)":    {computed(list, 1, chosen), []string{".b"}},
		"computed set with minimum (S19)":     {computed(set, 1, chosen), []string{".b"}},
		"attribute of a computed block (S19)": {computed(list, 0, ok), []string{".b.a"}},
		"block of a computed block (S19)":     {&configschema.Block{BlockTypes: blocks{"b": {Nesting: list, Block: configschema.Block{Computed: true, BlockTypes: blocks{"c": nestedBlock(list, chosen)}}}}}, []string{".b.c"}},
		"nested attribute":                    {attr(nestedType(mapping, attrs{"x": {Type: cty.String}})), []string{".a.x"}},
		"several, sorted by path": {
			&configschema.Block{
				Attributes: attrs{"c": {Type: cty.String}, "a": {Type: cty.String}},
				BlockTypes: blocks{"b": nestedBlock(list, attrs{"y": nil, "x": nil})},
			},
			[]string{".a", ".b.x", ".b.y", ".c"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.block.InternalValidate()
			if diff := cmp.Diff(tt.want, brokenAt(t, err)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// TestObjectInternalValidate checks the validation of objects, such as identities (S20).
func TestObjectInternalValidate(t *testing.T) {
	t.Parallel()
	object := &configschema.Object{Attributes: attrs{"b": {Type: cty.String}, "a": {Optional: true}}}
	if diff := cmp.Diff([]string{"", ".a", ".b"}, brokenAt(t, object.InternalValidate())); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if (*configschema.Object)(nil).InternalValidate() == nil {
		t.Error("nil object: got no error")
	}
	object = &configschema.Object{Nesting: configschema.NestingSingle, Attributes: attrs{"a": optional(cty.String)}}
	if err := object.InternalValidate(); err != nil {
		t.Errorf("valid object: got error %v", err)
	}
}
