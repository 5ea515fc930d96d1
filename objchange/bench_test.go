package objchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// benchSchema is the schema of a file-like resource.
var benchSchema = &configschema.Block{Attributes: map[string]*configschema.Attribute{
	"path":    {Type: cty.String, Required: true},
	"content": {Type: cty.String, Optional: true},
	"mode":    {Type: cty.String, Optional: true, Computed: true},
	"tags":    {Type: cty.Map(cty.String), Optional: true},
	"size":    {Type: cty.Number, Computed: true},
	"exists":  {Type: cty.Bool, Computed: true},
}}

// benchObject returns an object with content of the given size and the given
// number of tags; if computed is true, its computed attributes are set. Like a
// decoded value, the object shares no memory with other objects.
func benchObject(tb testing.TB, content, tags int, computed bool) cty.Value {
	tb.Helper()
	tagValues := map[string]cty.Value{}
	for i := range tags {
		tagValues[fmt.Sprintf("tag-%d", i)] = cty.StringVal(fmt.Sprintf("value-%d", i))
	}
	values := map[string]cty.Value{
		"path":    cty.StringVal("/etc/motd"),
		"content": cty.StringVal(strings.Repeat("x", content)),
		"mode":    cty.NullVal(cty.String),
		"tags":    cty.MapVal(tagValues),
		"size":    cty.NullVal(cty.Number),
		"exists":  cty.NullVal(cty.Bool),
	}
	if computed {
		values["mode"] = cty.StringVal("0644")
		values["size"] = cty.NumberIntVal(int64(content))
		values["exists"] = cty.True
	}
	return recode(tb, benchSchema, cty.ObjectVal(values))
}

func recode(tb testing.TB, schema *configschema.Block, v cty.Value) cty.Value {
	tb.Helper()
	encoded, err := msgpack.Marshal(v, schema.ImpliedType())
	if err != nil {
		tb.Fatal(err)
	}
	v, err = msgpack.Unmarshal(encoded, schema.ImpliedType())
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// benchSizes runs a benchmark with small and big values: with values that share no
// memory, and with values that do, such as those that a plan copies from the prior state.
func benchSizes(b *testing.B, run func(b *testing.B, config, prior, planned cty.Value)) {
	for _, size := range []struct {
		name          string
		content, tags int
	}{{"small", 16, 2}, {"big", 64 << 10, 200}} {
		config := benchObject(b, size.content, size.tags, false)
		prior := benchObject(b, size.content, size.tags, true)
		planned := benchObject(b, size.content, size.tags, true)
		b.Run(size.name+"/separate", func(b *testing.B) { run(b, config, prior, planned) })
		b.Run(size.name+"/shared", func(b *testing.B) { run(b, config, prior, prior) })
	}
}

func BenchmarkAssertPlanValid(b *testing.B) {
	benchSizes(b, func(b *testing.B, config, prior, planned cty.Value) {
		b.ReportAllocs()
		for b.Loop() {
			if errs := objchange.AssertPlanValid(benchSchema, prior, config, planned); errs != nil {
				b.Fatal(errs)
			}
		}
	})
}

func BenchmarkAssertObjectCompatible(b *testing.B) {
	benchSizes(b, func(b *testing.B, _, prior, planned cty.Value) {
		b.ReportAllocs()
		for b.Loop() {
			if errs := objchange.AssertObjectCompatible(benchSchema, planned, prior); errs != nil {
				b.Fatal(errs)
			}
		}
	})
}

func BenchmarkProposedNew(b *testing.B) {
	benchSizes(b, func(b *testing.B, config, prior, _ cty.Value) {
		b.ReportAllocs()
		for b.Loop() {
			objchange.ProposedNew(benchSchema, prior, config)
		}
	})
}

func BenchmarkEqual(b *testing.B) {
	benchSizes(b, func(b *testing.B, _, prior, planned cty.Value) {
		b.ReportAllocs()
		for b.Loop() {
			if !objchange.Equal(prior, planned) {
				b.Fatal("not equal")
			}
		}
	})
}

// BenchmarkRawEquals measures the method of cty, for comparison with BenchmarkEqual.
func BenchmarkRawEquals(b *testing.B) {
	benchSizes(b, func(b *testing.B, _, prior, planned cty.Value) {
		b.ReportAllocs()
		for b.Loop() {
			if !prior.RawEquals(planned) {
				b.Fatal("not equal")
			}
		}
	})
}
