package floor

import (
	"context"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

var itemsType = cty.List(cty.Object(map[string]cty.Type{
	"name":  cty.String,
	"size":  cty.Number,
	"owner": cty.String,
}))

// function is a function whose arguments are never null or unknown. Clients ensure that,
// because no parameter allows such values.
type function struct {
	params   []cty.Type
	variadic cty.Type
	result   cty.Type
	call     func(args []cty.Value) cty.Value
}

var functions = map[string]*function{
	"upper": {params: []cty.Type{cty.String}, result: cty.String, call: upper},
	"total": {params: []cty.Type{itemsType}, result: cty.Number, call: total},
	"grown": {params: []cty.Type{itemsType}, result: itemsType, call: grown},
	"join":  {params: []cty.Type{cty.String}, variadic: cty.String, result: cty.String, call: join},
}

func functionSchemas() map[string]*tfplugin.Function {
	items := tftypes.List{ElementType: tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"name":  tftypes.String,
		"size":  tftypes.Number,
		"owner": tftypes.String,
	}}}
	param := func(name string, ty tftypes.Type) *tfplugin.FunctionParameter {
		return &tfplugin.FunctionParameter{Name: name, Type: ty}
	}
	return map[string]*tfplugin.Function{
		"upper": {Parameters: []*tfplugin.FunctionParameter{param("text", tftypes.String)}, Return: &tfplugin.FunctionReturn{Type: tftypes.String}},
		"total": {Parameters: []*tfplugin.FunctionParameter{param("items", items)}, Return: &tfplugin.FunctionReturn{Type: tftypes.Number}},
		"grown": {Parameters: []*tfplugin.FunctionParameter{param("items", items)}, Return: &tfplugin.FunctionReturn{Type: items}},
		"join": {
			Parameters:        []*tfplugin.FunctionParameter{param("separator", tftypes.String)},
			VariadicParameter: param("parts", tftypes.String),
			Return:            &tfplugin.FunctionReturn{Type: tftypes.String},
		},
	}
}

// CallFunction decodes the arguments, calls the function, and encodes the result.
func (s *Server) CallFunction(_ context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	resp := &tfplugin.CallFunctionResponse{}
	f := functions[req.Name]
	args, at, err := f.decode(req.Arguments)
	if err != nil {
		resp.Error = &tfplugin.FunctionError{Text: err.Error(), FunctionArgument: &at}
	} else if resp.Result, err = encode(f.call(args), f.result); err != nil {
		resp.Error = &tfplugin.FunctionError{Text: err.Error()}
	}
	return resp, nil
}

// decode returns the arguments as values, or the index of the first invalid argument and an error.
func (f *function) decode(arguments []*tfplugin.DynamicValue) (_ []cty.Value, at int64, err error) {
	args := make([]cty.Value, len(arguments))
	for i, arg := range arguments {
		ty := f.variadic
		if i < len(f.params) {
			ty = f.params[i]
		}
		if args[i], err = decode(arg, ty); err != nil {
			return nil, int64(i), err
		}
	}
	return args, 0, nil
}

func upper(args []cty.Value) cty.Value { return cty.StringVal(strings.ToUpper(args[0].AsString())) }

func total(args []cty.Value) cty.Value {
	sum := int64(0)
	for it := args[0].ElementIterator(); it.Next(); {
		_, item := it.Element()
		size, _ := item.GetAttr("size").AsBigFloat().Int64()
		sum += size
	}
	return cty.NumberIntVal(sum)
}

func grown(args []cty.Value) cty.Value {
	if args[0].LengthInt() == 0 {
		return args[0]
	}
	out := make([]cty.Value, 0, args[0].LengthInt())
	for it := args[0].ElementIterator(); it.Next(); {
		_, item := it.Element()
		size, _ := item.GetAttr("size").AsBigFloat().Int64()
		out = append(out, cty.ObjectVal(map[string]cty.Value{
			"name":  item.GetAttr("name"),
			"size":  cty.NumberIntVal(2 * size),
			"owner": item.GetAttr("owner"),
		}))
	}
	return cty.ListVal(out)
}

func join(args []cty.Value) cty.Value {
	parts := make([]string, len(args)-1)
	for i := range parts {
		parts[i] = args[i+1].AsString()
	}
	return cty.StringVal(strings.Join(parts, args[0].AsString()))
}
