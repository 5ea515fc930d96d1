package bench

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// object is a resource instance at one moment; a NilVal attribute is null.
type object struct {
	content            string
	mode, size, exists cty.Value
	tags               int
}

func (o object) value() cty.Value {
	tags := make(map[string]cty.Value, o.tags)
	for i := range o.tags {
		tags[fmt.Sprintf("tag-%03d", i)] = cty.StringVal(fmt.Sprintf("value of tag %d", i))
	}
	return cty.ObjectVal(map[string]cty.Value{
		"path":    cty.StringVal("/srv/app/config/settings.conf"),
		"content": cty.StringVal(o.content),
		"mode":    orNull(o.mode, cty.String),
		"size":    orNull(o.size, cty.Number),
		"exists":  orNull(o.exists, cty.Bool),
		"tags":    cty.MapVal(tags),
	})
}

func orNull(v cty.Value, ty cty.Type) cty.Value {
	if v == cty.NilVal {
		return cty.NullVal(ty)
	}
	return v
}

// size is the size of an object.
type size struct {
	name    string
	content int
	tags    int
}

func sizes() []size {
	return []size{
		{name: "small", content: 64, tags: 3},
		{name: "big", content: 64 << 10, tags: 200},
	}
}

// files returns the lifecycles of small and big files.
func files() []life {
	var out []life
	for _, s := range sizes() {
		var (
			unknownSize = cty.UnknownVal(cty.Number)
			mode        = cty.StringVal("0644")
			bytes       = cty.NumberIntVal(int64(s.content))
			before      = text(s.content, 1)
			after       = text(s.content, 2)
		)
		state2 := object{content: after, tags: s.tags, mode: mode, size: bytes, exists: cty.True}.value()
		out = append(out, life{
			typeName:  "bench_file",
			size:      s.name,
			config:    object{content: before, tags: s.tags}.value(),
			created:   object{content: before, tags: s.tags, mode: cty.UnknownVal(cty.String), size: unknownSize, exists: cty.UnknownVal(cty.Bool)}.value(),
			state:     object{content: before, tags: s.tags, mode: mode, size: bytes, exists: cty.True}.value(),
			config2:   object{content: after, tags: s.tags}.value(),
			proposed2: state2,
			updated:   object{content: after, tags: s.tags, mode: mode, size: unknownSize, exists: cty.True}.value(),
			state2:    state2,
		})
	}
	return out
}

// text returns n bytes of configuration-like text that differs between versions from the
// first byte on.
func text(n, version int) string {
	line := fmt.Sprintf("%d: listen = 127.0.0.1, workers = 8\n", version)
	return strings.Repeat(line, n/len(line)+1)[:n]
}
