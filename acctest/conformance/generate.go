package conformance

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// subject is a resource type under test.
type subject struct {
	Type

	name       string
	body       *configschema.Block
	version    int64
	identity   *configschema.Object
	ty         cty.Type
	identityTy cty.Type // cty.NilType if the type has none
	// legacy is set after a plan with LegacyTypeSystem.
	legacy bool
	// candidates are words from the provider's messages by attribute name.
	candidates map[string][]string
}

func (s *subject) null() cty.Value { return cty.NullVal(s.ty) }

func (s *subject) nullIdentity() cty.Value {
	if s.identity == nil {
		return cty.NilVal
	}
	return cty.NullVal(s.identityTy)
}

// generator generates configurations of a type.
type generator struct {
	*subject
	r *rand.Rand
	// density is the probability, in percent, that an optional attribute or block is set.
	density int
	// candidates are words from the provider's messages by attribute name.
	candidates map[string][]string
	// mistake is the error for the first value of the wrong type from a function in Type.
	mistake error
}

func newGenerator(s *subject, r *rand.Rand, candidates map[string][]string) *generator {
	densities := []int{10, 30, 60, 90}
	g := &generator{subject: s, r: r, density: densities[r.IntN(len(densities))], candidates: map[string][]string{}}
	for name, words := range candidates {
		g.candidates[name] = slices.Clone(words)
	}
	return g
}

func (g *generator) oneIn(n int) bool { return g.r.IntN(n) == 0 }

// config returns a configuration of the schema's type, which may be invalid.
func (g *generator) config() cty.Value { return g.fixed(g.block(g.body, nil)) }

// fixed returns the configuration after Type.Fix, or config if the result has the wrong type.
func (g *generator) fixed(config cty.Value) cty.Value {
	if g.Fix == nil {
		return config
	}
	values := config.AsValueMap()
	g.Fix(g.r, values)
	for _, name := range slices.Sorted(maps.Keys(g.ty.AttributeTypes())) {
		if !g.hasType("Fix", name, values[name], g.ty.AttributeType(name)) {
			return config
		}
	}
	return cty.ObjectVal(values)
}

// special returns the value of the function in Type.Values for an attribute or block, or
// empty if the value has the wrong type.
func (g *generator) special(name string, empty cty.Value, want cty.Type) cty.Value {
	if v := g.Values[name](g.r); g.hasType(fmt.Sprintf("Values[%q]", name), name, v, want) {
		return v
	}
	return empty
}

// hasType reports whether a value of an attribute or block, from an option, has the wanted
// type. If not, it records the mistake, unless there is one already.
func (g *generator) hasType(option, name string, v cty.Value, want cty.Type) bool {
	var wrong []string
	if v == cty.NilVal {
		wrong = []string{name + ": " + want.FriendlyName() + " required, but received no value"}
	} else {
		for _, err := range v.Type().TestConformance(want) {
			at := name
			if inside, ok := errors.AsType[cty.PathError](err); ok && nameOf(inside.Path) != "" {
				at += "." + nameOf(inside.Path)
			}
			wrong = append(wrong, at+": "+err.Error())
		}
	}
	if len(wrong) > 0 && g.mistake == nil {
		slices.Sort(wrong)
		g.mistake = fmt.Errorf("conformance: Options.Types[%q].%s gives a value of the wrong type: %s", g.subject.name, option, strings.Join(wrong, "; "))
	}
	return len(wrong) == 0
}

// location is the attribute or block that a value is generated for.
type location struct {
	name string // in the form of Type
	// inside means that the value is in an element of a collection. All elements of a
	// collection have the same type.
	inside bool
	// secret means that the value is sensitive.
	secret bool
}

func (a *location) child(name string) *location {
	if a == nil {
		return &location{name: name}
	}
	return &location{a.name + "." + name, a.inside, a.secret}
}

// element returns the location of the elements of a collection.
func (a *location) element() *location { return &location{a.name, true, a.secret} }

func (g *generator) block(b *configschema.Block, where *location) cty.Value {
	values := g.attributes(b.Attributes, where)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		values[name] = g.nestedBlock(nested, where.child(name))
	}
	return cty.ObjectVal(values)
}

func (g *generator) attributes(attrs map[string]*configschema.Attribute, where *location) map[string]cty.Value {
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

// attribute returns a random value for an attribute.
func (g *generator) attribute(attr *configschema.Attribute, where *location) cty.Value {
	if g.Values[where.name] != nil {
		return g.special(where.name, attr.EmptyValue(), attr.ImpliedType())
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

func (g *generator) nestedBlock(b *configschema.NestedBlock, where *location) cty.Value {
	set := b.MinItems > 0 || g.r.IntN(100) < g.density
	switch {
	case slices.Contains(g.Leave, where.name) || !set:
		return b.EmptyValue()
	case g.Values[where.name] != nil:
		return g.special(where.name, b.EmptyValue(), b.ImpliedType())
	}
	object := b.Block.ImpliedType()
	return g.collection(b.Nesting, object, object.HasDynamicTypes(), b.MinItems, b.MaxItems, func() cty.Value {
		return g.block(&b.Block, where)
	})
}

// collection returns a collection of random length with the results of element. For
// NestingSingle and NestingGroup it returns one result. If structural is set, lists and
// maps are tuples and objects. If most is zero, there is no maximum.
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
			e = elements[0] // a duplicate
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

// value returns a random known value of the type, or null for a capsule type.
func (g *generator) value(ty cty.Type, where *location, description string) cty.Value {
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

func (g *generator) text(where *location, description string) string {
	if strings.HasPrefix(where.name, "timeouts.") {
		return durations[g.r.IntN(len(durations))]
	}
	if where.secret && g.oneIn(2) {
		return fmt.Sprintf("%s%08x", secretPrefix, g.r.Uint32())
	}
	if words := append(quoted(description), g.candidates[where.name]...); len(words) > 0 && g.oneIn(2) {
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

// spelling returns a variant of a word: providers often normalise values, but must return
// the planned ones.
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
	for _, word := range append(quoted(description), g.candidates[name]...) {
		if v, err := cty.ParseNumberVal(word); err == nil && g.oneIn(2) {
			return v
		}
	}
	numbers := plainNumbers
	if g.oneIn(3) && !quantityNames.MatchString(name) {
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

// secretPrefix is the prefix of the generated sensitive values that messages are searched
// for. Values without it could occur in a message by chance.
const secretPrefix = "hush-"

// plainWords are typical values.
var plainWords = []string{"a", "b", "one", "two", "example", "web-1", "x.example"}

// durations are values of timeouts.
var durations = []string{"10m", "1h", "90s"}

// oddWords are values that providers often handle wrongly, for example because they are empty,
// have spaces around them, are in other scripts, look like values of other types or like
// templates, or have line breaks.
var oddWords = []string{
	"", " ", " a ", "A", "é", "日本語", "👩🏽‍🚀", "ß", "007", "0", "-1", "1e3", "true", "null", "{}", "[]", "a,b", "a b",
	`say "hi" \ `, "${a} %{b}", "line\nline", "line\n", "\n", "\r\n", "\ttab", "a/b", "/", "..", "$", "%", "#", "<a&b>", "'", "\u200b", "a=b", "*",
}

var mapKeys = []string{"a", "b", "key", "Key", "with space", "é", "a.b", "", "0"}

var (
	plainNumbers = []string{"0", "1", "2", "3", "10", "60", "80", "100", "1000"}
	oddNumbers   = []string{
		"-1", "0.5", "255", "256", "65535", "65536", "2147483648", "-2147483649", "4294967296",
		"9007199254740993", "9223372036854775807", "9223372036854775808", "1e30", "0.1",
	}
)

// quantityNames matches names of attributes that determine how much is created, for which large
// numbers are too expensive.
var quantityNames = regexp.MustCompile(`length|count|size|bytes|bits|amount|replicas|repeat|width|height|depth|capacity|^num_|_num$|min_|max_`)

var (
	quotes  = regexp.MustCompile("`([^`\n]{1,60})`|\"([^\"\n]{0,60})\"")
	numbers = regexp.MustCompile(`-?\b[0-9]{1,20}\b`)
)

// quoted returns the parts of a text in quotes or backquotes, which are often valid
// values.
func quoted(text string) []string {
	var words []string
	for _, m := range quotes.FindAllStringSubmatch(text, 40) {
		if word := m[1] + m[2]; !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// hints returns the quoted parts and the numbers of a message, which may be valid values.
func hints(text string) []string { return append(quoted(text), numbers.FindAllString(text, 10)...) }

// secretsIn returns the values of a configuration that messages must not contain.
func secretsIn(config cty.Value) []string {
	var found []string
	for _, v := range cty.DeepValues(config) {
		if !v.IsNull() && v.IsKnown() && v.Type() == cty.String && strings.HasPrefix(v.AsString(), secretPrefix) {
			found = append(found, v.AsString())
		}
	}
	return found
}
