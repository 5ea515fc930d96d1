package conformance

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// subject is a resource type that is tried.
type subject struct {
	Type

	name       string
	body       *configschema.Block
	version    int64
	identity   *configschema.Object
	ty         cty.Type
	identityTy cty.Type // cty.NilType where the type has none
	// legacy: an answer had LegacyTypeSystem set.
	legacy bool
	// learned are words for attributes, by name.
	learned map[string][]string
}

func (s *subject) null() cty.Value { return cty.NullVal(s.ty) }

func (s *subject) nullIdentity() cty.Value {
	if s.identity == nil {
		return cty.NilVal
	}
	return cty.NullVal(s.identityTy)
}

// generator makes configurations of a type.
type generator struct {
	*subject
	r *rand.Rand
	// density is how likely it is, in percent, that something optional is set.
	density int
	// learned are words that the provider's own messages have put forward for an
	// attribute.
	learned map[string][]string
}

func newGenerator(s *subject, r *rand.Rand, learned map[string][]string) *generator {
	densities := []int{10, 30, 60, 90}
	g := &generator{subject: s, r: r, density: densities[r.IntN(len(densities))], learned: map[string][]string{}}
	for name, words := range learned {
		g.learned[name] = slices.Clone(words)
	}
	return g
}

func (g *generator) oneIn(n int) bool { return g.r.IntN(n) == 0 }

// config is a configuration that fits the schema; whether it is valid is for
// the provider to say.
func (g *generator) config() cty.Value { return g.fixed(g.block(g.body, nil)) }

// fixed is the configuration after the author's Fix.
func (g *generator) fixed(config cty.Value) cty.Value {
	if g.Fix == nil {
		return config
	}
	values := config.AsValueMap()
	g.Fix(g.r, values)
	return cty.ObjectVal(values)
}

// at is where a value is made.
type at struct {
	name string // as Type names attributes
	// inside: elements of a collection have to have one type.
	inside bool
	// secret: the value is sensitive.
	secret bool
}

func (a *at) child(name string) *at {
	if a == nil {
		return &at{name: name}
	}
	return &at{a.name + "." + name, a.inside, a.secret}
}

// element is a place inside of a collection.
func (a *at) element() *at { return &at{a.name, true, a.secret} }

func (g *generator) block(b *configschema.Block, where *at) cty.Value {
	values := g.attributes(b.Attributes, where)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		values[name] = g.nestedBlock(nested, where.child(name))
	}
	return cty.ObjectVal(values)
}

func (g *generator) attributes(attrs map[string]*configschema.Attribute, where *at) map[string]cty.Value {
	values := make(map[string]cty.Value, len(attrs))
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		attr, at := attrs[name], where.child(name)
		at.secret = at.secret || attr.Sensitive || attr.WriteOnly
		switch {
		case !attr.Required && !attr.Optional, slices.Contains(g.Leave, at.name), attr.Optional && g.r.IntN(100) >= g.density:
			values[name] = attr.EmptyValue()
		default:
			values[name] = g.attribute(attr, at)
		}
	}
	return values
}

// attribute is a value that an attribute is set to; hardly ever null.
func (g *generator) attribute(attr *configschema.Attribute, where *at) cty.Value {
	if special := g.Values[where.name]; special != nil {
		return special(g.r)
	}
	if attr.NestedType == nil {
		return g.value(attr.ImpliedType(), where, attr.Description)
	}
	o := attr.NestedType
	if o.Nesting != configschema.NestingSingle {
		where = where.element()
	}
	return g.collection(o.Nesting, o.ObjectType(), false, 0, 0, func() cty.Value {
		return cty.ObjectVal(g.attributes(o.Attributes, where))
	})
}

func (g *generator) nestedBlock(b *configschema.NestedBlock, where *at) cty.Value {
	set := b.MinItems > 0 || g.r.IntN(100) < g.density
	switch {
	case slices.Contains(g.Leave, where.name) || !set:
		return b.EmptyValue()
	case g.Values[where.name] != nil:
		return g.Values[where.name](g.r)
	}
	object := b.Block.ImpliedType()
	return g.collection(b.Nesting, object, object.HasDynamicTypes(), b.MinItems, b.MaxItems, func() cty.Value {
		return g.block(&b.Block, where)
	})
}

// collection is the objects of a nested type or block; structural makes lists
// and maps of them tuples and objects, most of zero is no bound.
func (g *generator) collection(mode configschema.NestingMode, object cty.Type, structural bool, least, most int, element func() cty.Value) cty.Value {
	if mode == configschema.NestingSingle || mode == configschema.NestingGroup {
		return element()
	}
	n := least + g.r.IntN(4)
	if most > 0 {
		n = min(n, most)
	}
	var elements []cty.Value
	for range n {
		e := element()
		if len(elements) > 0 && g.oneIn(6) {
			e = elements[0] // twice the same
		}
		if structural || cty.CanListVal(append(slices.Clip(elements), e)) {
			elements = append(elements, e)
		}
	}
	switch {
	case mode == configschema.NestingMap && structural:
		return cty.ObjectVal(g.keyed(elements))
	case mode == configschema.NestingMap:
		return mapOf(object, g.keyed(elements))
	case mode == configschema.NestingSet:
		return setOf(object, elements)
	case structural:
		return cty.TupleVal(elements)
	default:
		return listOf(object, elements)
	}
}

func (g *generator) keyed(elements []cty.Value) map[string]cty.Value {
	keyed := make(map[string]cty.Value, len(elements))
	for _, e := range elements {
		keyed[mapKeys[g.r.IntN(len(mapKeys))]] = e
	}
	return keyed
}

// value is a known value of the type.
func (g *generator) value(ty cty.Type, where *at, description string) cty.Value {
	switch {
	case ty == cty.String:
		return cty.StringVal(g.text(where, description))
	case ty == cty.Number:
		return g.number(where.name, description)
	case ty == cty.Bool:
		return cty.BoolVal(g.oneIn(2))
	case ty == cty.DynamicPseudoType && where.inside:
		return g.value(cty.String, where, description)
	case ty == cty.DynamicPseudoType:
		types := []cty.Type{
			cty.String, cty.Number, cty.Bool, cty.Tuple([]cty.Type{cty.String, cty.Number}),
			cty.Object(map[string]cty.Type{"a": cty.String, "b": cty.Bool}), cty.EmptyTuple,
		}
		return g.value(types[g.r.IntN(len(types))], where, description)
	case ty.IsObjectType():
		values := map[string]cty.Value{}
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			values[name] = g.value(ty.AttributeType(name), where.child(name), description)
		}
		return cty.ObjectVal(values)
	case ty.IsTupleType():
		var list []cty.Value
		for _, element := range ty.TupleElementTypes() {
			list = append(list, g.value(element, where, description))
		}
		return cty.TupleVal(list)
	case !ty.IsCollectionType():
		return cty.NullVal(ty)
	}
	mode := configschema.NestingList
	switch {
	case ty.IsSetType():
		mode = configschema.NestingSet
	case ty.IsMapType():
		mode = configschema.NestingMap
	}
	return g.collection(mode, ty.ElementType(), false, 0, 0, func() cty.Value {
		return g.value(ty.ElementType(), where.element(), description)
	})
}

func (g *generator) text(where *at, description string) string {
	if strings.HasPrefix(where.name, "timeouts.") {
		return durations[g.r.IntN(len(durations))]
	}
	if where.secret && g.oneIn(2) {
		return fmt.Sprintf("%s%08x", secretPrefix, g.r.Uint32())
	}
	if words := append(quoted(description), g.learned[where.name]...); len(words) > 0 && g.oneIn(2) {
		word := words[g.r.IntN(len(words))]
		if g.oneIn(6) {
			word = g.spelling(word)
		}
		return word
	}
	if g.oneIn(2) {
		return plainWords[g.r.IntN(len(plainWords))]
	}
	if g.oneIn(12) {
		return strings.Repeat("long ", 80)
	}
	return oddWords[g.r.IntN(len(oddWords))]
}

// spelling is another spelling of a word: providers often normalise what they
// are given, and have to keep what was planned all the same.
func (g *generator) spelling(word string) string {
	switch g.r.IntN(7) {
	case 0:
		return strings.ToUpper(word)
	case 1:
		return strings.ToLower(word)
	case 2:
		return word + "/"
	case 3:
		return word + "."
	case 4:
		return " " + word
	case 5:
		return "0" + word
	default:
		_, first := utf8.DecodeRuneInString(word)
		return word[first:]
	}
}

func (g *generator) number(name, description string) cty.Value {
	for _, word := range append(quoted(description), g.learned[name]...) {
		if v, err := cty.ParseNumberVal(word); err == nil && g.oneIn(2) {
			return v
		}
	}
	numbers := plainNumbers
	if g.oneIn(3) && !amounts.MatchString(name) {
		numbers = oddNumbers
	}
	return cty.MustParseNumberVal(numbers[g.r.IntN(len(numbers))])
}

func listOf(element cty.Type, list []cty.Value) cty.Value {
	if len(list) == 0 {
		return cty.ListValEmpty(element)
	}
	return cty.ListVal(list)
}

func setOf(element cty.Type, list []cty.Value) cty.Value {
	if len(list) == 0 {
		return cty.SetValEmpty(element)
	}
	return cty.SetVal(list)
}

func mapOf(element cty.Type, values map[string]cty.Value) cty.Value {
	if len(values) == 0 {
		return cty.MapValEmpty(element)
	}
	return cty.MapVal(values)
}
