package lang_test

import (
	"maps"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// body returns the body of a file with the text. The test fails if the text cannot be parsed.
func body(tb testing.TB, text string) hcl.Body {
	tb.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return file.Body
}

func context(variables map[string]cty.Value) *hcl.EvalContext {
	return &hcl.EvalContext{Variables: variables}
}

func attribute(t cty.Type) *configschema.Attribute {
	return &configschema.Attribute{Type: t, Optional: true}
}

// everything returns a schema with each kind of nesting.
func everything() *configschema.Block {
	inner := configschema.Block{Attributes: map[string]*configschema.Attribute{"a": attribute(cty.String), "b": attribute(cty.Number)}}
	dynamic := configschema.Block{Attributes: map[string]*configschema.Attribute{"d": attribute(cty.DynamicPseudoType)}}
	nested := map[string]*configschema.Attribute{
		"must": {Type: cty.String, Required: true}, "may": attribute(cty.Bool), "out": {Type: cty.String, Computed: true},
		"deep": {Optional: true, NestedType: &configschema.Object{Nesting: configschema.NestingMap, Attributes: map[string]*configschema.Attribute{"x": attribute(cty.String), "y": attribute(cty.String)}}},
	}
	objects := func(mode configschema.NestingMode) *configschema.Attribute {
		return &configschema.Attribute{Optional: true, NestedType: &configschema.Object{Nesting: mode, Attributes: nested}}
	}
	old := cty.Object(map[string]cty.Type{"p": cty.String, "q": cty.List(cty.Object(map[string]cty.Type{"r": cty.Number}))})
	return &configschema.Block{
		Attributes: map[string]*configschema.Attribute{
			"s": attribute(cty.String), "l": attribute(cty.List(cty.String)), "any": attribute(cty.DynamicPseudoType),
			"object": objects(configschema.NestingSingle), "objects": objects(configschema.NestingList),
			"objectset": objects(configschema.NestingSet), "objectmap": objects(configschema.NestingMap),
			"old": attribute(cty.List(old)), "oldset": attribute(cty.Set(old)),
		},
		BlockTypes: map[string]*configschema.NestedBlock{
			"single": {Block: inner, Nesting: configschema.NestingSingle}, "group": {Block: inner, Nesting: configschema.NestingGroup},
			"list": {Block: inner, Nesting: configschema.NestingList, MaxItems: 3}, "set": {Block: inner, Nesting: configschema.NestingSet},
			"map": {Block: inner, Nesting: configschema.NestingMap}, "tuple": {Block: dynamic, Nesting: configschema.NestingList},
			"dynmap": {Block: dynamic, Nesting: configschema.NestingMap},
			"outer": {Nesting: configschema.NestingList, Block: configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{
				"inner": {Block: inner, Nesting: configschema.NestingList},
			}}},
		},
	}
}

func TestDecodeBody(t *testing.T) {
	t.Parallel()
	str, num := cty.StringVal, cty.NumberIntVal
	inner := func(a, b cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"a": a, "b": b}) }
	noStr, noNum := cty.NullVal(cty.String), cty.NullVal(cty.Number)
	deepType := cty.Map(cty.Object(map[string]cty.Type{"x": cty.String, "y": cty.String}))
	object := func(must string, deep cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"must": str(must), "may": cty.NullVal(cty.Bool), "out": noStr, "deep": deep})
	}
	noDeep := cty.NullVal(deepType)
	old := func(p cty.Value, r ...int64) cty.Value {
		q := cty.NullVal(cty.List(cty.Object(map[string]cty.Type{"r": cty.Number})))
		for i, n := range r {
			if i == 0 {
				q = cty.ListValEmpty(q.Type().ElementType())
			}
			q = cty.ListVal(append(q.AsValueSlice(), cty.ObjectVal(map[string]cty.Value{"r": num(n)})))
		}
		return cty.ObjectVal(map[string]cty.Value{"p": p, "q": q})
	}
	unknown := map[string]cty.Value{"u": cty.DynamicVal, "secret": cty.SetVal([]cty.Value{str("k")}).Mark(lang.Sensitive)}

	tests := map[string]struct {
		text string
		want map[string]cty.Value // besides the defaults
	}{
		"empty body":                        {``, nil},
		"converted":                         {"s = 1\nl = [true]", map[string]cty.Value{"s": str("1"), "l": cty.ListVal([]cty.Value{str("true")})}},
		"any type":                          {`any = { a = [1, "x"] }`, map[string]cty.Value{"any": cty.ObjectVal(map[string]cty.Value{"a": cty.TupleVal([]cty.Value{num(1), str("x")})})}},
		"optional nested attribute omitted": {`object = { must = "m" }`, map[string]cty.Value{"object": object("m", noDeep)}},
		"nested list":                       {`objects = [{ must = "m" }, { must = "n", may = null }]`, map[string]cty.Value{"objects": cty.ListVal([]cty.Value{object("m", noDeep), object("n", noDeep)})}},
		"nested set":                        {`objectset = [{ must = "m" }]`, map[string]cty.Value{"objectset": cty.SetVal([]cty.Value{object("m", noDeep)})}},
		"nested map, deep":                  {`objectmap = { k = { must = "m", deep = { z = { x = "x" } } } }`, map[string]cty.Value{"objectmap": cty.MapVal(map[string]cty.Value{"k": object("m", cty.MapVal(map[string]cty.Value{"z": cty.ObjectVal(map[string]cty.Value{"x": str("x"), "y": noStr})}))})}},
		"single block":                      {"single {\na = 1\n}", map[string]cty.Value{"single": inner(str("1"), noNum)}},
		"group":                             {"group {\nb = 1\n}", map[string]cty.Value{"group": inner(noStr, num(1))}},
		"list of blocks":                    {"list {\na = 1\n}\nlist {}", map[string]cty.Value{"list": cty.ListVal([]cty.Value{inner(str("1"), noNum), inner(noStr, noNum)})}},
		"set of blocks":                     {"set {}\nset {}", map[string]cty.Value{"set": cty.SetVal([]cty.Value{inner(noStr, noNum)})}},
		"map of blocks":                     {"map \"k\" {\na = 1\n}", map[string]cty.Value{"map": cty.MapVal(map[string]cty.Value{"k": inner(str("1"), noNum)})}},
		"tuple of blocks":                   {"tuple {\nd = 1\n}\ntuple {\nd = \"x\"\n}", map[string]cty.Value{"tuple": cty.TupleVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"d": num(1)}), cty.ObjectVal(map[string]cty.Value{"d": str("x")})})}},
		"object of blocks":                  {"dynmap \"k\" {\nd = 1\n}", map[string]cty.Value{"dynmap": cty.ObjectVal(map[string]cty.Value{"k": cty.ObjectVal(map[string]cty.Value{"d": num(1)})})}},
		"attribute as blocks":               {"old {\np = 1\nq {\nr = 2\n}\n}\nold {}", map[string]cty.Value{"old": cty.ListVal([]cty.Value{old(str("1"), 2), old(noStr)})}},
		"set as blocks":                     {"oldset {\np = 1\n}", map[string]cty.Value{"oldset": cty.SetVal([]cty.Value{old(str("1"))})}},
		"attribute instead of blocks":       {`old = [{ p = "1", q = [{ r = 2 }] }]`, map[string]cty.Value{"old": cty.ListVal([]cty.Value{old(str("1"), 2)})}},
		"dynamic block":                     {"dynamic \"list\" {\nfor_each = [1, 2]\ncontent {\nb = list.value\n}\n}", map[string]cty.Value{"list": cty.ListVal([]cty.Value{inner(noStr, num(1)), inner(noStr, num(2))})}},
		"dynamic in a block":                {"outer {\ndynamic \"inner\" {\nfor_each = [1]\ncontent {\na = inner.value\n}\n}\n}", map[string]cty.Value{"outer": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"inner": cty.ListVal([]cty.Value{inner(str("1"), noNum)})})})}},
		"dynamic, no elements":              {"dynamic \"list\" {\nfor_each = []\ncontent {}\n}", nil},
		"dynamic, labels":                   {"dynamic \"map\" {\nfor_each = [1]\nlabels = [\"k${map.key}\"]\ncontent {}\n}", map[string]cty.Value{"map": cty.MapVal(map[string]cty.Value{"k0": inner(noStr, noNum)})}},
		"dynamic attribute":                 {"dynamic \"old\" {\nfor_each = [1]\ncontent {\np = old.value\n}\n}", map[string]cty.Value{"old": cty.ListVal([]cty.Value{old(str("1"))})}},
		"dynamic, unknown":                  {"dynamic \"list\" {\nfor_each = u\ncontent {}\n}", map[string]cty.Value{"list": cty.UnknownVal(cty.List(inner(noStr, noNum).Type()))}},
		"dynamic, unknown set":              {"dynamic \"set\" {\nfor_each = u\ncontent {}\n}", map[string]cty.Value{"set": cty.UnknownVal(cty.Set(inner(noStr, noNum).Type()))}},
		"dynamic, unknown map":              {"dynamic \"map\" {\nfor_each = u\nlabels = [\"k\"]\ncontent {}\n}", map[string]cty.Value{"map": cty.UnknownVal(cty.Map(inner(noStr, noNum).Type()))}},
		"dynamic, sensitive":                {"dynamic \"list\" {\nfor_each = secret\ncontent {\na = list.value\n}\n}", map[string]cty.Value{"list": cty.ListVal([]cty.Value{inner(str("k").Mark(lang.Sensitive), noNum).Mark(lang.Sensitive)})}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := everything()
			want := schema.EmptyValue().AsValueMap()
			maps.Copy(want, tt.want)
			ctx := context(unknown)
			got, diags := lang.DecodeBody(lang.ExpandDynamic(body(t, tt.text), schema, ctx), schema, ctx)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if !got.RawEquals(cty.ObjectVal(want)) {
				t.Errorf("got  %#v\nwant %#v", got, cty.ObjectVal(want))
			}
			for _, err := range got.Type().TestConformance(schema.ImpliedType()) {
				t.Errorf("the value does not have the implied type: %v", err)
			}
		})
	}
}

// TestDecodeOptionalAttributes checks that a value of an object type with optional
// attributes has all of them, even if the configuration omits one.
func TestDecodeOptionalAttributes(t *testing.T) {
	t.Parallel()
	schema := &configschema.Block{Attributes: map[string]*configschema.Attribute{
		"o": attribute(cty.ObjectWithOptionalAttrs(map[string]cty.Type{"a": cty.String, "b": cty.Bool}, []string{"b"})),
	}}
	file, diags := hclsyntax.ParseConfig([]byte("o = { a = 1 }\n"), "t.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got, diags := lang.DecodeBody(file.Body, schema, nil)
	want := cty.ObjectVal(map[string]cty.Value{"o": cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("1"), "b": cty.NullVal(cty.Bool)})})
	if diags.HasErrors() || !got.RawEquals(want) {
		t.Errorf("the value is %#v, want %#v; messages: %v", got, want, diags)
	}
}

// TestDecodeBodyErrors checks the summaries and details that tests of providers match.
func TestDecodeBodyErrors(t *testing.T) {
	t.Parallel()
	strict := &configschema.Block{
		Attributes: map[string]*configschema.Attribute{
			"must":   {Type: cty.String, Required: true},
			"old":    {Type: cty.List(cty.Object(map[string]cty.Type{"p": cty.String})), Required: true},
			"object": everything().Attributes["object"],
		},
		BlockTypes: map[string]*configschema.NestedBlock{
			"single": {Nesting: configschema.NestingSingle, MinItems: 1, MaxItems: 1},
			"list":   {Nesting: configschema.NestingList, MinItems: 2, MaxItems: 2},
			"map":    {Nesting: configschema.NestingMap},
		},
	}
	const good = "must = \"m\"\nold {}\nsingle {}\nlist {}\nlist {}\n"
	tests := map[string]struct{ text, want string }{
		"none":            {good, ""},
		"required":        {strings.Replace(good, "must =", "object =", 1), `main.tf:1,1-1: Missing required argument; The argument "must" is required, but no definition was found.`},
		"required blocks": {strings.Replace(good, "old {}", "", 1), `main.tf:1,1-1: Missing required argument; The argument "old" is required, but no definition was found.`},
		"both forms":      {good + "old = []", `main.tf:2,1-4: Unsupported block type; "old" is set as an argument already: it cannot have blocks as well.`},
		"unknown name":    {good + "what = 1", `main.tf:6,1-5: Unsupported argument; An argument named "what" is not expected here.`},
		"type":            {strings.Replace(good, `"m"`, "[]", 1), `main.tf:1,8-10: Incorrect attribute value type; Inappropriate value for attribute "must": string required, but have tuple.`},
		"nested required": {good + "object = {}", `main.tf:6,10-12: Incorrect attribute value type; Inappropriate value for attribute "object": attribute "must" is required.`},
		"no block":        {strings.Replace(good, "single {}", "", 1), `main.tf:1,1-1: Missing single block; A block of type "single" is required here.`},
		"twice":           {good + "single {}", `main.tf:6,1-7: Duplicate single block; Only one block of type "single" is allowed. Previous definition was at main.tf:3,1-7.`},
		"too few":         {strings.Replace(good, "list {}\n", "", 1), `main.tf:1,1-1: Insufficient list blocks; At least 2 "list" blocks are required.`},
		"too many":        {good + "list {}", `main.tf:6,6-6: Too many list blocks; No more than 2 "list" blocks are allowed`},
		"key twice":       {good + "map \"k\" {}\nmap \"k\" {}", `main.tf:7,1-8: Duplicate map block; A block for map "k" was already defined. The map labels must be unique.`},
		"evaluation":      {strings.Replace(good, `"m"`, "nope", 1), `main.tf:1,8-12: Variables not allowed; Variables may not be used here.`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := lang.DecodeBody(body(t, tt.text), strict, nil)
			if firstError(diags) != tt.want {
				t.Errorf("got  %s\nwant %s", firstError(diags), tt.want)
			}
			if errs := got.Type().TestConformance(strict.ImpliedType()); len(errs) > 0 {
				t.Errorf("the value does not have the implied type: %v", errs)
			}
		})
	}
}

func firstError(diags hcl.Diagnostics) string {
	if len(diags) == 0 {
		return ""
	}
	return diags[0].Error()
}

func jsonBody(tb testing.TB, text string) hcl.Body {
	tb.Helper()
	file, diags := json.Parse([]byte(text), "main.tf.json")
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return file.Body
}

// TestDecodeBodyJSON checks that a JSON body has the same value as one in the native syntax,
// although JSON has one form for attributes and blocks.
func TestDecodeBodyJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, native string }{
		"attributes":                  {`{"s": "${upper}", "l": ["x"]}`, `s = upper` + "\n" + `l = ["x"]`},
		"blocks":                      {`{"list": [{"a": "x"}, {"b": 1}], "single": {"a": "y"}}`, "list {\na = \"x\"\n}\nlist {\nb = 1\n}\nsingle {\na = \"y\"\n}"},
		"labels":                      {`{"map": {"k": {"a": "x"}}}`, "map \"k\" {\na = \"x\"\n}"},
		"dynamic":                     {`{"dynamic": {"list": {"for_each": ["u", "v"], "content": {"a": "${list.value}"}}}}`, "list {\na = \"u\"\n}\nlist {\na = \"v\"\n}"},
		"attribute as blocks":         {`{"old": [{"p": "1"}, {"q": [{"r": 2}]}]}`, "old {\np = 1\n}\nold {\nq {\nr = 2\n}\n}"},
		"in a dynamic block":          {`{"dynamic": {"old": {"for_each": [1], "content": {"q": [{"r": 2}]}}}}`, "old {\nq {\nr = 2\n}\n}"},
		"one block":                   {`{"old": {"p": "1"}}`, "old {\np = 1\n}"},
		"attribute instead of blocks": {`{"old": "${given}"}`, "old = given"},
		"null":                        {`{"old": null}`, ""},
		"none":                        {`{"old": []}`, "old = []"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := everything()
			ctx := context(map[string]cty.Value{
				"upper": cty.StringVal("X"),
				"given": cty.TupleVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"p": cty.StringVal("p"), "q": cty.EmptyTupleVal})}),
			})
			want, diags := lang.DecodeBody(body(t, tt.native), schema, ctx)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			got, diags := lang.DecodeBody(lang.ExpandDynamic(jsonBody(t, tt.text), schema, ctx), schema, ctx)
			if diags.HasErrors() || !got.RawEquals(want) {
				t.Errorf("%v\n got %#v\nwant %#v", diags, got, want)
			}
		})
	}
}

func TestJSONReferences(t *testing.T) {
	t.Parallel()
	const text = `{
	"s": "${provider::p::one(a.b.c)}",
	"list": [{"a": "%{ if var.x }${provider::p::two(1)}%{ endif }"}],
	"old": [{"p": "${local.x}"}],
	"dynamic": {"list": {"for_each": "${provider::p::three()}", "content": {"a": "${list.value}${self.id}"}}}
}`
	refs, diags := lang.ReferencesInBody(jsonBody(t, text), everything())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var got []string
	for _, ref := range refs {
		got = append(got, ref.Subject.String())
	}
	if diff := cmp.Diff([]string{"a.b", "var.x", "local.x", "self"}, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	want := []string{"provider::p::one", "provider::p::three", "provider::p::two"}
	if diff := cmp.Diff(want, lang.ProviderFunctionsInBody(jsonBody(t, text))); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
}

// TestSchemasAreCollected checks that the decoders do not keep a schema in memory.
func TestSchemasAreCollected(t *testing.T) {
	t.Parallel()
	collected := make(chan struct{})
	func() {
		schema := everything()
		lang.DecodeBody(&hclsyntax.Body{}, schema, nil)
		goruntime.AddCleanup(schema, func(done chan struct{}) { close(done) }, collected)
	}()
	for range 100 {
		goruntime.GC()
		select {
		case <-collected:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the schema is still in memory")
}
