package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// benchType is a typical type of a file resource.
var benchType = cty.Object(map[string]cty.Type{
	"path":    cty.String,
	"content": cty.String,
	"mode":    cty.String,
	"size":    cty.Number,
	"exists":  cty.Bool,
	"tags":    cty.Map(cty.String),
})

func benchObjects() map[string]cty.Value {
	object := func(size, tags int) cty.Value {
		m := make(map[string]cty.Value, tags)
		for i := range tags {
			m[fmt.Sprintf("tag-%03d", i)] = cty.StringVal(fmt.Sprintf("value of tag %d", i))
		}
		return cty.ObjectVal(map[string]cty.Value{
			"path":    cty.StringVal("/etc/application/settings.conf"),
			"content": cty.StringVal(strings.Repeat("key = \"value\"\n", size/14+1)[:size]),
			"mode":    cty.StringVal("0644"),
			"size":    cty.NumberIntVal(int64(size)),
			"exists":  cty.True,
			"tags":    cty.MapVal(m),
		})
	}
	return map[string]cty.Value{"small": object(64, 3), "big": object(64<<10, 200)}
}

func BenchmarkMsgpack(b *testing.B) {
	codec := wire.NewCodec(benchType)
	for _, size := range []string{"small", "big"} {
		v := benchObjects()[size]
		data, err := ctymsgpack.Marshal(v, benchType)
		if err != nil {
			b.Fatal(err)
		}
		run(b, "decode/"+size+"/wire", len(data), func() error { _, err := codec.DecodeMsgpack(data); return err })
		run(b, "decode/"+size+"/cty", len(data), func() error { _, err := ctymsgpack.Unmarshal(data, benchType); return err })
		run(b, "encode/"+size+"/wire", len(data), func() error { _, err := codec.EncodeDynamic(v); return err })
		run(b, "encode/"+size+"/cty", len(data), func() error { _, err := ctymsgpack.Marshal(v, benchType); return err })
	}
}

func BenchmarkJSON(b *testing.B) {
	codec := wire.NewCodec(benchType)
	for _, size := range []string{"small", "big"} {
		v := benchObjects()[size]
		data, err := ctyjson.Marshal(v, benchType)
		if err != nil {
			b.Fatal(err)
		}
		run(b, "decode/"+size+"/wire", len(data), func() error { _, err := codec.DecodeStateJSON(data); return err })
		run(b, "decode/"+size+"/cty", len(data), func() error { _, err := ctyjson.Unmarshal(data, benchType); return err })
		run(b, "encode/"+size+"/wire", len(data), func() error { _, err := codec.AppendJSON(nil, v); return err })
		run(b, "encode/"+size+"/cty", len(data), func() error { _, err := ctyjson.Marshal(v, benchType); return err })
	}
}

func run(b *testing.B, name string, size int, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
