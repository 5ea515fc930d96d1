package bench

import (
	"context"
	"fmt"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// Case is a request that every contender gets.
type Case struct {
	RPC  string
	Size string
	// Want is the value in the response; NilVal for an RPC that returns none.
	Want cty.Value
	// WantTypes is how many resource types the schema in the response has, each with the
	// attributes of a file; zero for an RPC without a schema.
	WantTypes int
	// Call sends the request. It may be called repeatedly and concurrently.
	Call func(context.Context, Contender) (Answer, error)
}

// Name returns "rpc/size".
func (c Case) Name() string { return c.RPC + "/" + c.Size }

// Answer is the common part of the responses of all RPCs.
type Answer struct {
	// Value is a state, or the result of a function.
	Value       *tfplugin.DynamicValue
	Schema      *tfplugin.GetProviderSchemaResponse
	Diagnostics []*tfplugin.Diagnostic
}

// Check returns an error if an answer is not the expected one.
func (c Case) Check(a Answer) error {
	if len(a.Diagnostics) > 0 {
		return fmt.Errorf("%s: %s: %s", c.Name(), a.Diagnostics[0].Summary, a.Diagnostics[0].Detail)
	}
	var err error
	switch {
	case c.WantTypes > 0:
		err = checkSchema(a.Schema, c.WantTypes)
	case c.Want != cty.NilVal:
		err = checkValue(a.Value, c.Want)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name(), err)
	}
	return nil
}

func checkValue(answer *tfplugin.DynamicValue, want cty.Value) error {
	if answer == nil {
		return fmt.Errorf("no value in the answer")
	}
	got, err := msgpack.Unmarshal(answer.MsgPack, want.Type())
	if err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	if got.RawEquals(want) {
		return nil
	}
	if !want.Type().IsObjectType() || got.IsNull() {
		return fmt.Errorf("the answer has %#v, want %#v", got, want)
	}
	for name := range want.Type().AttributeTypes() {
		if got, want := got.GetAttr(name), want.GetAttr(name); !got.RawEquals(want) {
			return fmt.Errorf("attribute %s differs: the answer has %#v, want %#v", name, got, want)
		}
	}
	return nil
}

// Objects is the number of nested objects in the measured requests.
const Objects = 200

// Cases returns all requests, with the given number of nested objects.
func Cases(objects int) ([]Case, error) {
	var out []Case
	for _, l := range slices.Concat(files(), fleets(objects)) {
		cases, err := l.cases()
		if err != nil {
			return nil, fmt.Errorf("requests of %s, size %s: %w", l.typeName, l.size, err)
		}
		out = append(out, cases...)
	}
	calls, err := calls(objects)
	if err != nil {
		return nil, fmt.Errorf("function calls: %w", err)
	}
	return slices.Concat(out, calls, schemas()), nil
}
