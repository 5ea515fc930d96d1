package runtime

import (
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

type repeated struct {
	Name    string
	Note    *string
	Size    int64
	On      bool
	Share   float64
	Level   int64 `tf:",optional"`
	Inside  *repeatedPart
	List    []repeatedPart          `tf:",optional"`
	Set     []repeatedPart          `tf:",optional,set"`
	Map     map[string]repeatedPart `tf:",optional"`
	Words   map[string]string       `tf:",optional"`
	Lists   map[string][]string     `tf:",optional"`
	Free    Value[string]
	Any     any
	Secret  *string        `tf:",writeonly"`
	Blocks  []repeatedPart `tf:",block"`
	Nothing []string       `tf:",optional"`
}

type repeatedPart struct {
	Key  string
	Port *int64
}

func newRepeated() *repeated {
	port := func(p int64) *int64 { return &p }
	note := "note"
	parts := func() []repeatedPart { return []repeatedPart{{"a", port(1)}, {"b", nil}, {"c", port(3)}} }
	return &repeated{
		Name: "n", Note: &note, Size: 3, On: true, Share: 0.5, Inside: &repeatedPart{"in", port(9)},
		List: parts(), Set: parts(), Blocks: parts(),
		Map:   map[string]repeatedPart{"x": {"a", nil}, "y": {"b", port(2)}},
		Words: map[string]string{"k": "v", "l": "w"}, Lists: map[string][]string{"k": {"v"}, "l": {}},
		Free: Known("free"), Any: "any",
	}
}

// TestRepeats checks that repeats reports whether an object equals the reference, and that an
// object that differs is encoded as without a reference.
func TestRepeats(t *testing.T) {
	t.Parallel()
	n, err := compileType(reflect.TypeFor[repeated](), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(x *repeated, ref cty.Value) cty.Value {
		v, err := encoder{}.value(n, reflect.ValueOf(x).Elem(), ref)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ref := encode(newRepeated(), cty.NilVal)
	repeats := func(x *repeated) bool { return encoder{}.repeats(n, reflect.ValueOf(x).Elem(), ref) }
	if !repeats(newRepeated()) {
		t.Error("repeats returns false for an equal object")
	}
	text, number := "text", int64(4)
	for name, change := range map[string]func(*repeated){
		"string":                  func(x *repeated) { x.Name = "m" },
		"string pointer":          func(x *repeated) { x.Note = &text },
		"pointer to nil":          func(x *repeated) { x.Note = nil },
		"integer":                 func(x *repeated) { x.Size++ },
		"bool":                    func(x *repeated) { x.On = false },
		"float":                   func(x *repeated) { x.Share = 0.25 },
		"null to set":             func(x *repeated) { x.Level = 1 },
		"object to nil":           func(x *repeated) { x.Inside = nil },
		"in an object":            func(x *repeated) { x.Inside.Key = "other" },
		"list to nil":             func(x *repeated) { x.List = nil },
		"empty list":              func(x *repeated) { x.List = []repeatedPart{} },
		"nil list to empty":       func(x *repeated) { x.Nothing = []string{} },
		"shorter list":            func(x *repeated) { x.List = x.List[:2] },
		"longer list":             func(x *repeated) { x.List = append(x.List, repeatedPart{Key: "d"}) },
		"list order":              func(x *repeated) { x.List[0], x.List[1] = x.List[1], x.List[0] },
		"in a list":               func(x *repeated) { x.List[1].Port = &number },
		"in a set":                func(x *repeated) { x.Set[1].Port = &number },
		"smaller set":             func(x *repeated) { x.Set = x.Set[1:] },
		"in a map":                func(x *repeated) { x.Map["x"] = repeatedPart{Key: "other"} },
		"key of a map":            func(x *repeated) { x.Map["z"] = x.Map["x"]; delete(x.Map, "x") },
		"larger map":              func(x *repeated) { x.Map["z"] = repeatedPart{Key: "z"} },
		"map to nil":              func(x *repeated) { x.Map = nil },
		"map of strings":          func(x *repeated) { x.Words["k"] = "other" },
		"key of a map of strings": func(x *repeated) { delete(x.Words, "k"); x.Words["m"] = "v" },
		"in a map of lists":       func(x *repeated) { x.Lists["k"][0] = "other" },
		"value to null":           func(x *repeated) { x.Free = Null[string]() },
		"value to unknown":        func(x *repeated) { x.Free = Unknown[string]() },
		"another value":           func(x *repeated) { x.Free = Known("other") },
		"another any":             func(x *repeated) { x.Any = "other" },
		"an any of another type":  func(x *repeated) { x.Any = true },
		"in a block":              func(x *repeated) { x.Blocks[0].Key = "other" },
		"block to nil":            func(x *repeated) { x.Blocks = nil },
	} {
		x := newRepeated()
		change(x)
		if repeats(x) {
			t.Errorf("%s: repeats returns true for a changed object", name)
		}
		if got, want := encode(x, ref), encode(x, cty.NilVal); !got.RawEquals(want) {
			t.Errorf("%s: encoded with the reference as %#v, without it as %#v", name, got, want)
		}
	}
	empty := &repeated{List: []repeatedPart{}, Map: map[string]repeatedPart{}}
	none := encode(empty, cty.NilVal)
	if got := encode(&repeated{}, none); !got.GetAttr("list").IsNull() || !got.GetAttr("map").IsNull() {
		t.Errorf("nil collections with empty ones as the reference are encoded as %#v, want null", got)
	}
	secret := newRepeated()
	secret.Secret = &text
	if !repeats(secret) {
		t.Error("repeats returns false for a different write-only value, which is never stored")
	}
}
