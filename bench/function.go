package bench

import (
	"context"
	"fmt"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// calls returns calls of functions: with a text, with a list of objects and a small or a
// large result, and with a variable number of arguments.
func calls(n int) ([]Case, error) {
	var (
		list, twice = make([]cty.Value, n), make([]cty.Value, n)
		total       = int64(0)
		words       = make([]string, 8)
		joined      = []cty.Value{cty.StringVal("-")}
	)
	for i := range list {
		list[i], twice[i] = item(i, i), item(i, 2*i)
		total += int64(i)
	}
	for i := range words {
		words[i] = fmt.Sprintf("part-%d", i)
		joined = append(joined, cty.StringVal(words[i]))
	}
	objects := fmt.Sprintf("%d-objects", n)
	var e encoder
	out := []Case{
		e.call("upper", "text", cty.StringVal("HELLO, WORLD"), cty.StringVal("hello, world")),
		e.call("join", "8-variadic", cty.StringVal(strings.Join(words, "-")), joined...),
		e.call("total", objects, cty.NumberIntVal(total), cty.ListVal(list)),
		e.call("grown", objects, cty.ListVal(twice), cty.ListVal(list)),
	}
	return out, e.err
}

func item(i, size int) cty.Value {
	owner := cty.NullVal(cty.String)
	if i%2 == 0 {
		owner = cty.StringVal("an owner")
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":  cty.StringVal(fmt.Sprintf("item-%03d", i)),
		"size":  cty.NumberIntVal(int64(size)),
		"owner": owner,
	})
}

func (e *encoder) call(name, size string, want cty.Value, args ...cty.Value) Case {
	req := &tfplugin.CallFunctionRequest{Name: name}
	for _, arg := range args {
		req.Arguments = append(req.Arguments, e.dynamic(arg))
	}
	return Case{RPC: "call-" + name, Size: size, Want: want, Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := c.Server.CallFunction(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		if resp.Error != nil {
			return Answer{}, fmt.Errorf("call %s: %s", name, resp.Error.Text)
		}
		return Answer{Value: resp.Result}, nil
	}}
}
