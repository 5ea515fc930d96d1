package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Mirror returns its inputs: each value must be stored as configured, although the Go value
// has less information.
type Mirror struct {
	Any    any               `tf:",optional"`
	Byte   *float32          // has less precision than a number
	Bytes  []float32         `tf:",optional"`
	List   []part            `tf:",optional"`
	Map    map[string]part   `tf:",optional"`
	Set    []part            `tf:",optional,set"`
	Text   *folded           // is the same in upper and lower case
	Texts  map[string]folded `tf:",optional"`
	Single *part
}

// part has a field whose zero value means null.
type part struct {
	Name string
	Note string `tf:",optional"`
}

// folded is a text that is converted to lower case when it is parsed.
type folded string

func (f folded) MarshalText() ([]byte, error) { return []byte(f), nil }
func (f *folded) UnmarshalText(text []byte) error {
	*f = folded(strings.ToLower(string(text)))
	return nil
}

func (*Mirror) SchemaVersion() int      { return 0 }
func (*Mirror) ReplaceFields() []string { return nil }

func (m *Mirror) Create(context.Context, runtime.NoConfig) (*Mirror, error) { return m, nil }
func (*Mirror) Read(_ context.Context, _ runtime.NoConfig, prior *Mirror) (*Mirror, error) {
	return prior, nil
}
func (*Mirror) Delete(context.Context, runtime.NoConfig, *Mirror) error { return nil }
func (m *Mirror) Update(context.Context, runtime.NoConfig, runtime.Prior[Mirror, *Mirror]) (*Mirror, error) {
	return m, nil
}

func TestConfiguredTextIsKept(t *testing.T) {
	t.Parallel()
	obj := func(name, note string) cty.Value { return cty.ObjectVal(attrs{"name": str(name), "note": str(note)}) }
	null := cty.ObjectVal(attrs{"name": str("b"), "note": cty.NullVal(cty.String)})
	tenth := cty.MustParseNumberVal("0.1")
	for name, tt := range map[string]struct {
		attr  string
		value cty.Value
	}{
		"a list of any type":        {"any", cty.ListVal([]cty.Value{str("x")})},
		"a map of any type":         {"any", cty.MapVal(attrs{"x": str("x")})},
		"a tuple of any type":       {"any", cty.TupleVal([]cty.Value{str("x"), tenth})},
		"a number of any type":      {"any", tenth},
		"a number":                  {"byte", tenth},
		"numbers":                   {"bytes", cty.ListVal([]cty.Value{tenth, tenth})},
		"an empty string":           {"single", obj("a", "")},
		"an empty string in a list": {"list", cty.ListVal([]cty.Value{obj("a", ""), null})},
		"an empty string in a map":  {"map", cty.MapVal(attrs{"x": obj("a", ""), "y": null})},
		"an empty string in a set":  {"set", cty.SetVal([]cty.Value{obj("a", ""), null, obj("c", "d")})},
		"a parsed text":             {"text", str("Word")},
		"parsed texts":              {"texts", cty.MapVal(attrs{"x": str("Word"), "y": str("word")})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
				"mirror": runtime.MakeResource[Mirror, *Mirror, runtime.NoConfig](),
			}})
			d := newDriver(t, p, "test_mirror")
			config := d.config(attrs{tt.attr: tt.value})
			d.apply(config)
			d.noChange(config)
		})
	}
}
