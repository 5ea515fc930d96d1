package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// Case is a request that is sent to every contender.
type Case struct {
	RPC  string
	Size string
	// Want is the value in the response; NilVal for an RPC that returns none.
	Want cty.Value
	// WantTypes is the number of resource types in the schema of the response, each with
	// the attributes of a file; zero for an answer without a schema.
	WantTypes int
	// Call sends the request. It may be called repeatedly and concurrently.
	Call func(context.Context, Contender) (Answer, error)
}

// Name returns "rpc/size".
func (c Case) Name() string { return c.RPC + "/" + c.Size }

// Answer has the parts of a response that [Case.Check] checks.
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
		return fmt.Errorf("the answer has no value")
	}
	got, err := msgpack.Unmarshal(answer.MsgPack, want.Type())
	if err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	if got.RawEquals(want) {
		return nil
	}
	if !want.Type().IsObjectType() || got.IsNull() {
		return fmt.Errorf("the answer is %#v, want %#v", got, want)
	}
	for name := range want.Type().AttributeTypes() {
		if got, want := got.GetAttr(name), want.GetAttr(name); !got.RawEquals(want) {
			return fmt.Errorf("attribute %s of the answer is %#v, want %#v", name, got, want)
		}
	}
	return nil
}

// Objects is the number of nested objects in the measured requests.
const Objects = 200

// Cases returns all requests, with the given number of nested objects. A value that cannot be
// encoded is an error.
func Cases(objects int) ([]Case, error) {
	var out []Case
	for _, l := range slices.Concat(files(), fleets(objects)) {
		cases, err := l.cases()
		if err != nil {
			return nil, fmt.Errorf("encode the requests of %s, size %s: %w", l.typeName, l.size, err)
		}
		out = append(out, cases...)
	}
	calls, err := calls(objects)
	if err != nil {
		return nil, fmt.Errorf("function calls: %w", err)
	}
	return slices.Concat(out, calls, schemas()), nil
}

// object has the attributes of a resource instance; those that are cty.NilVal are null.
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

// size is the size of an object: the length of its content and the number of its tags.
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

// text returns n bytes of configuration-like text. Each line begins with the version, so
// that texts of different versions differ in the first byte.
func text(n, version int) string {
	line := fmt.Sprintf("%d: listen = 127.0.0.1, workers = 8\n", version)
	return strings.Repeat(line, n/len(line)+1)[:n]
}

var nodeType = node(0, 0).Type()

// node returns a nested object that contains further objects.
func node(i, port int) cty.Value {
	disk := func(name string, gigabytes int, medium cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"name":      cty.StringVal(name),
			"gigabytes": cty.NumberIntVal(int64(gigabytes)),
			"medium":    medium,
		})
	}
	zone := cty.NullVal(cty.String)
	if i%2 == 0 {
		zone = cty.StringVal("north")
	}
	return cty.ObjectVal(map[string]cty.Value{
		"host": cty.StringVal(fmt.Sprintf("node-%03d.example.com", i)),
		"port": cty.NumberIntVal(int64(port)),
		"zone": zone,
		"probe": cty.ObjectVal(map[string]cty.Value{
			"path":    cty.StringVal("/healthy"),
			"seconds": cty.NumberIntVal(30),
		}),
		"disks": cty.ListVal([]cty.Value{
			disk("root", 40, cty.StringVal("flash")),
			disk("data", 1000+i, cty.NullVal(cty.String)),
		}),
	})
}

// fleet returns an object with n nodes in the named collection. If changed is set, the node
// in the middle has a different port.
func fleet(collection string, n int, changed bool, size cty.Value) cty.Value {
	list := make([]cty.Value, n)
	named := make(map[string]cty.Value, n)
	for i := range list {
		port := 8080
		if changed && i == n/2 {
			port = 9090
		}
		list[i] = node(i, port)
		named[fmt.Sprintf("node-%03d", i)] = list[i]
	}
	attrs := map[string]cty.Value{
		"name":  cty.StringVal("web"),
		"nodes": cty.NullVal(cty.List(nodeType)),
		"named": cty.NullVal(cty.Map(nodeType)),
		"spare": cty.NullVal(cty.Set(nodeType)),
		"size":  size,
	}
	switch collection {
	case "list":
		attrs["nodes"] = cty.ListVal(list)
	case "map":
		attrs["named"] = cty.MapVal(named)
	case "set":
		attrs["spare"] = cty.SetVal(list)
	}
	return cty.ObjectVal(attrs)
}

// fleets returns the lifecycles of objects with nested objects in a list, a map and a set;
// the change is one attribute of one nested object.
func fleets(n int) []life {
	var out []life
	for _, collection := range []string{"list", "map", "set"} {
		var (
			null    = cty.NullVal(cty.Number)
			unknown = cty.UnknownVal(cty.Number)
			size    = cty.NumberIntVal(int64(n))
		)
		out = append(out, life{
			typeName:  "bench_fleet",
			size:      fmt.Sprintf("%s-of-%d", collection, n),
			config:    fleet(collection, n, false, null),
			created:   fleet(collection, n, false, unknown),
			state:     fleet(collection, n, false, size),
			config2:   fleet(collection, n, true, null),
			proposed2: fleet(collection, n, true, size),
			updated:   fleet(collection, n, true, unknown),
			state2:    fleet(collection, n, true, size),
		})
	}
	return out
}

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

// life is the lifecycle of an object of a managed resource type: created, and then changed.
type life struct {
	typeName, size string

	// config is the first configuration, and the proposed object of the create.
	config  cty.Value
	created cty.Value // as planned
	state   cty.Value
	// config2 is the second configuration.
	config2   cty.Value
	proposed2 cty.Value
	updated   cty.Value // as planned
	state2    cty.Value
}

// cases returns the requests, with the RPCs in the order of the lifecycle.
func (l life) cases() ([]Case, error) {
	e := encoder{typeName: l.typeName}
	null := cty.NullVal(l.state.Type())
	out := []Case{
		e.validate(l.config),
		e.plan("plan-create", null, l.config, l.config, l.created),
		e.apply("apply-create", null, l.created, l.config, l.state),
		e.upgrade(l.state),
		e.read(l.state),
		e.plan("plan-noop", l.state, l.state, l.config, l.state),
		e.plan("plan-update", l.state, l.proposed2, l.config2, l.updated),
		e.apply("apply-update", l.state, l.updated, l.config2, l.state2),
	}
	for i := range out {
		out[i].Size = l.size
	}
	return out, e.err
}

// encoder builds cases from values and keeps the first error.
type encoder struct {
	typeName string
	err      error
}

func (e *encoder) dynamic(v cty.Value) *tfplugin.DynamicValue {
	b, err := msgpack.Marshal(v, v.Type())
	if err != nil && e.err == nil {
		e.err = err
	}
	return &tfplugin.DynamicValue{MsgPack: b}
}

// rpc returns a case with one request; answer returns the parts of the response to check.
func rpc[Req, Resp any](name string, want cty.Value, req Req, method func(tfplugin.ProviderServer, context.Context, Req) (Resp, error), answer func(Resp) Answer) Case {
	return Case{RPC: name, Want: want, Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := method(c.Server, ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return answer(resp), nil
	}}
}

func (e *encoder) validate(config cty.Value) Case {
	return rpc("validate", cty.NilVal, &tfplugin.ValidateResourceConfigRequest{TypeName: e.typeName, Config: e.dynamic(config)},
		tfplugin.ProviderServer.ValidateResourceConfig,
		func(resp *tfplugin.ValidateResourceConfigResponse) Answer {
			return Answer{Diagnostics: resp.Diagnostics}
		})
}

func (e *encoder) plan(name string, prior, proposed, config, want cty.Value) Case {
	return rpc(name, want, &tfplugin.PlanResourceChangeRequest{
		TypeName: e.typeName, PriorState: e.dynamic(prior), ProposedNewState: e.dynamic(proposed), Config: e.dynamic(config),
	}, tfplugin.ProviderServer.PlanResourceChange, func(resp *tfplugin.PlanResourceChangeResponse) Answer {
		return Answer{Value: resp.PlannedState, Diagnostics: resp.Diagnostics}
	})
}

func (e *encoder) apply(name string, prior, planned, config, want cty.Value) Case {
	return rpc(name, want, &tfplugin.ApplyResourceChangeRequest{
		TypeName: e.typeName, PriorState: e.dynamic(prior), PlannedState: e.dynamic(planned), Config: e.dynamic(config),
	}, tfplugin.ProviderServer.ApplyResourceChange, func(resp *tfplugin.ApplyResourceChangeResponse) Answer {
		return Answer{Value: resp.NewState, Diagnostics: resp.Diagnostics}
	})
}

func (e *encoder) read(state cty.Value) Case {
	return rpc("read", state, &tfplugin.ReadResourceRequest{TypeName: e.typeName, CurrentState: e.dynamic(state)},
		tfplugin.ProviderServer.ReadResource, func(resp *tfplugin.ReadResourceResponse) Answer {
			return Answer{Value: resp.NewState, Diagnostics: resp.Diagnostics}
		})
}

func (e *encoder) upgrade(want cty.Value) Case {
	state, err := ctyjson.Marshal(want, want.Type())
	if err != nil && e.err == nil {
		e.err = err
	}
	return rpc("upgrade", want, &tfplugin.UpgradeResourceStateRequest{TypeName: e.typeName, RawState: &tfplugin.RawState{JSON: state}},
		tfplugin.ProviderServer.UpgradeResourceState, func(resp *tfplugin.UpgradeResourceStateResponse) Answer {
			return Answer{Value: resp.UpgradedState, Diagnostics: resp.Diagnostics}
		})
}
