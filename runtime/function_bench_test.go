package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

type benchItem struct {
	Name  string
	Size  int64
	Owner *string
}

func benchShout(s string) (string, error) { return strings.ToUpper(s), nil }

func benchGrow(items []benchItem) ([]benchItem, error) {
	out := make([]benchItem, len(items))
	for i, item := range items {
		item.Size *= 2
		out[i] = item
	}
	return out, nil
}

func benchAdd(a, b int64) (int64, error) { return a + b, nil }

// The same functions on cty values, written by hand.

func handShout(args []cty.Value) (cty.Value, error) {
	return cty.StringVal(strings.ToUpper(args[0].AsString())), nil
}

func handAdd(args []cty.Value) (cty.Value, error) {
	a, _ := args[0].AsBigFloat().Int64()
	b, _ := args[1].AsBigFloat().Int64()
	return cty.NumberIntVal(a + b), nil
}

func handGrow(args []cty.Value) (cty.Value, error) {
	out := make([]cty.Value, 0, args[0].LengthInt())
	for it := args[0].ElementIterator(); it.Next(); {
		_, item := it.Element()
		size, _ := item.GetAttr("size").AsBigFloat().Int64()
		owner := cty.NullVal(cty.String)
		if v := item.GetAttr("owner"); !v.IsNull() {
			owner = cty.StringVal(v.AsString())
		}
		out = append(out, cty.ObjectVal(map[string]cty.Value{
			"name":  cty.StringVal(item.GetAttr("name").AsString()),
			"size":  cty.NumberIntVal(2 * size),
			"owner": owner,
		}))
	}
	return cty.ListVal(out), nil
}

// handServer answers calls like a server written by hand, with go-cty's codec.
type handServer struct {
	types map[string]cty.Type // of arguments and result
	funcs map[string]func([]cty.Value) (cty.Value, error)
}

func (s handServer) CallFunction(_ context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	ty := s.types[req.Name]
	args := make([]cty.Value, len(req.Arguments))
	for i, arg := range req.Arguments {
		var err error
		if args[i], err = ctymsgpack.Unmarshal(arg.MsgPack, ty); err != nil {
			return nil, err
		}
	}
	v, err := s.funcs[req.Name](args)
	if err != nil {
		return nil, err
	}
	data, err := ctymsgpack.Marshal(v, ty)
	if err != nil {
		return nil, err
	}
	return &tfplugin.CallFunctionResponse{Result: &tfplugin.DynamicValue{MsgPack: data}}, nil
}

// BenchmarkCallFunction measures a call including its codec, from bytes to bytes, and for
// comparison the same call of a function of cty values with go-cty's codec.
func BenchmarkCallFunction(b *testing.B) {
	p, err := runtime.New(runtime.Definition{Name: "test", Functions: map[string]runtime.FunctionRegistration{
		"shout": runtime.MakeFunc(benchShout, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "text"}}}),
		"add":   runtime.MakeFunc(benchAdd, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "a"}, {Name: "b"}}}),
		"grow":  runtime.MakeFunc(benchGrow, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "items"}}}),
	}})
	if err != nil {
		b.Fatal(err)
	}
	server, err := tfprotov6.NewServer(b.Context(), p)
	if err != nil {
		b.Fatal(err)
	}
	items := make([]cty.Value, 200)
	for i := range items {
		owner := cty.NullVal(cty.String)
		if i%2 == 0 {
			owner = str("another process")
		}
		items[i] = cty.ObjectVal(attrs{"name": str(fmt.Sprintf("item-%03d", i)), "size": num(int64(i)), "owner": owner})
	}
	list := cty.ListVal(items)
	hand := handServer{
		types: map[string]cty.Type{"shout": cty.String, "add": cty.Number, "grow": list.Type()},
		funcs: map[string]func([]cty.Value) (cty.Value, error){"shout": handShout, "add": handAdd, "grow": handGrow},
	}
	for name, args := range map[string][]cty.Value{"shout": {str("hello")}, "add": {num(1 << 40), num(2)}, "grow": {list}} {
		req := &tfplugin.CallFunctionRequest{Name: name}
		for _, arg := range args {
			data, err := ctymsgpack.Marshal(arg, arg.Type())
			if err != nil {
				b.Fatal(err)
			}
			req.Arguments = append(req.Arguments, &tfplugin.DynamicValue{MsgPack: data})
		}
		for by, call := range map[string]func(context.Context, *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error){
			"runtime": server.CallFunction, "hand": hand.CallFunction,
		} {
			b.Run(name+"/"+by, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if resp, err := call(b.Context(), req); err != nil || resp.Error != nil {
						b.Fatal(err, resp.Error)
					}
				}
			})
		}
	}
}
