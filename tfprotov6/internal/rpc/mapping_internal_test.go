package rpc

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// unmatched has the known fields without a counterpart, which have no data. An obsolete
// entry fails the test.
var unmatched = []string{
	"field min_items of tfplugin6.Schema.Object", // deprecated and not used
	"field max_items of tfplugin6.Schema.Object",
	"ValidateProviderConfigResponse.PreparedConfig of tfprotov6", // only in protocol 5
}

// noResponse is a connection without responses. It records the called method.
type noResponse struct{ called string }

var errNoResponse = errors.New("no response")

func (d *noResponse) Invoke(_ context.Context, path string, _, _ any, _ ...grpc.CallOption) error {
	d.called = path
	return errNoResponse
}

func (d *noResponse) NewStream(_ context.Context, _ *grpc.StreamDesc, path string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	d.called = path
	return nil, errNoResponse
}

// TestEverythingIsMapped checks that each RPC of a protocol is called by one method,
// and that each field of a message is mapped or in unmatched. It fails if a new version of
// terraform-plugin-go adds an RPC or a field.
func TestEverythingIsMapped(t *testing.T) {
	t.Parallel()
	s5, err5 := service5()
	s6, err6 := service6()
	if err5 != nil || err6 != nil {
		t.Fatal(err5, err6)
	}
	w := &walk{seen: make(map[decoderKey]bool), gaps: make(map[string]bool), anywhere: make(map[protoreflect.FullName]map[protoreflect.Name]bool)}
	for _, p := range []struct {
		service service
		client  func(Conn) any
	}{
		{s5, func(c Conn) any { return &provider5{caller{c, s5}} }},
		{s6, func(c Conn) any { return &provider6{caller{c, s6}} }},
	} {
		conn := &noResponse{}
		v := reflect.ValueOf(p.client(Conn{GRPC: conn}))
		calledBy := make(map[string]string)
		for i := range v.NumMethod() {
			name, typ := v.Type().Method(i).Name, v.Method(i).Type()
			conn.called = ""
			out := v.Method(i).Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.New(typ.In(1).Elem())})
			if !out[0].IsNil() {
				drain(out[0])
			}
			if other := calledBy[conn.called]; other != "" || conn.called == "" {
				t.Errorf("%s calls %q, which is not an RPC or is also called by %q", name, conn.called, other)
			}
			calledBy[conn.called] = name
			for _, m := range p.service {
				if m.path == conn.called {
					w.message(m.desc.Input(), element(typ.In(1)))
					w.message(m.desc.Output(), element(typ.Out(0)))
				}
			}
		}
		for name, m := range p.service {
			if calledBy[m.path] == "" {
				t.Errorf("no method calls %s", name)
			}
			if m.request == nil || m.answer == nil || m.err != nil {
				t.Errorf("%s: no mapping: %v", name, m.err)
			}
		}
	}
	w.capabilities()
	for _, known := range unmatched {
		if !w.gaps[known] {
			t.Errorf("%s has a counterpart now: remove it from unmatched", known)
		}
		delete(w.gaps, known)
	}
	for _, gap := range slices.Sorted(maps.Keys(w.gaps)) {
		t.Errorf("%s has no counterpart", gap)
	}
}

// drain reads a stream.
func drain(v reflect.Value) {
	for _, f := range v.Elem().Fields() {
		if f.Kind() == reflect.Func && !f.IsNil() {
			for range f.Seq() {
			}
		}
	}
}

// element returns the struct of a request or a response; for a stream, that of
// its elements.
func element(typ reflect.Type) reflect.Type {
	typ = typ.Elem()
	if typ.NumField() == 1 && typ.Field(0).Type.Kind() == reflect.Func {
		typ = typ.Field(0).Type.In(0).In(0)
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
	}
	return typ
}

// walk collects the fields of messages, of their nested messages and of the structs for
// them that have no counterpart.
type walk struct {
	seen map[decoderKey]bool
	gaps map[string]bool
	// anywhere reports, for each field of a message that is split over several structs, whether
	// one of these structs has the field.
	anywhere map[protoreflect.FullName]map[protoreflect.Name]bool
}

func (w *walk) message(md protoreflect.MessageDescriptor, typ reflect.Type) {
	key := decoderKey{md.FullName(), typ}
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	matched := make(map[protoreflect.Name]bool)
	inGo := make(map[string]bool)
	for _, p := range match(md, typ) {
		matched[p.proto.Name()] = true
		inGo[p.field.Name] = true
		w.field(p)
	}
	partly := md.Name() == "ClientCapabilities"
	if partly && w.anywhere[md.FullName()] == nil {
		w.anywhere[md.FullName()] = make(map[protoreflect.Name]bool)
	}
	for i := range md.Fields().Len() {
		name := md.Fields().Get(i).Name()
		switch {
		case partly:
			w.anywhere[md.FullName()][name] = w.anywhere[md.FullName()][name] || matched[name]
		case !matched[name]:
			w.gaps["field "+string(name)+" of "+string(md.FullName())] = true
		}
	}
	for _, f := range reflect.VisibleFields(typ) {
		if !f.Anonymous && !inGo[f.Name] {
			pkg := typ.PkgPath()[strings.LastIndexByte(typ.PkgPath(), '/')+1:]
			w.gaps[typ.Name()+"."+f.Name+" of "+pkg] = true
		}
	}
}

func (w *walk) field(p pair) {
	fd, typ := p.proto, p.field.Type
	if fd.IsMap() {
		fd, typ = fd.MapValue(), typ.Elem()
	} else if fd.IsList() {
		typ = typ.Elem()
	}
	if fd.Kind() != protoreflect.MessageKind {
		return
	}
	if read, err := leaf(fd, typ); read != nil || err != nil {
		return
	}
	if types, ok := members[typ]; ok {
		typ = types[fd.Name()]
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	w.message(fd.Message(), typ)
}

func (w *walk) capabilities() {
	for message, fields := range w.anywhere {
		for name, matched := range fields {
			if !matched {
				w.gaps["field "+string(name)+" of "+string(message)] = true
			}
		}
	}
}

// TestMismatches checks that a mismatch is an error when the mapping is computed, not
// a panic in a call.
func TestMismatches(t *testing.T) {
	t.Parallel()
	s, err := service6()
	if err != nil {
		t.Fatal(err)
	}
	read, schema := s["ReadResource"].desc, s["GetProviderSchema"].desc
	call := s["CallFunction"].desc
	upgrade := s["UpgradeResourceState"].desc
	for name, try := range map[string]func() error{
		"string field, number in Go": func() error {
			_, err := newEncoder(read.Input(), reflect.TypeFor[struct{ TypeName int64 }]())
			return err
		},
		"list field, string in Go": func() error {
			_, err := newEncoder(call.Input(), reflect.TypeFor[struct{ Arguments string }]())
			return err
		},
		"list of messages, list of strings in Go": func() error {
			_, err := newEncoder(call.Input(), reflect.TypeFor[struct{ Arguments []string }]())
			return err
		},
		"map of strings, map of numbers in Go": func() error {
			_, err := newEncoder(upgrade.Input(), reflect.TypeFor[struct {
				RawState struct{ Flatmap map[string]int64 }
			}]())
			return err
		},
		"message field, bytes in Go": func() error {
			_, err := make(decoders).of(read.Output(), reflect.TypeFor[struct{ NewState []byte }]())
			return err
		},
		"list field, struct in Go": func() error {
			_, err := make(decoders).of(read.Output(), reflect.TypeFor[struct{ Diagnostics struct{} }]())
			return err
		},
		"map field, list in Go": func() error {
			_, err := make(decoders).of(schema.Output(), reflect.TypeFor[struct{ ResourceSchemas []string }]())
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), "counterpart in Go") {
			t.Errorf("%s: got error %v, want one about the counterpart in Go", name, err)
		}
	}
	if _, err := s.of("Teleport", nil, nil); err == nil || !strings.Contains(err.Error(), "Teleport") {
		t.Errorf("unknown RPC: got error %v, want one with its name", err)
	}
}

// TestPathWithInvalidStep checks that a path ends before an invalid step, and that such a
// step is not an error.
func TestPathWithInvalidStep(t *testing.T) {
	t.Parallel()
	mt, err := protoregistry.GlobalTypes.FindMessageByName("tfplugin6.Diagnostic")
	if err != nil {
		t.Fatal(err)
	}
	message := mt.New()
	at := mt.Descriptor().Fields().ByName("attribute")
	steps := message.Mutable(at).Message().Mutable(at.Message().Fields().ByName("steps")).List()
	name := at.Message().Fields().ByName("steps").Message().Fields().ByName("attribute_name")
	steps.AppendMutable().Message().Set(name, protoreflect.ValueOfString("a"))
	steps.AppendMutable()
	steps.AppendMutable().Message().Set(name, protoreflect.ValueOfString("b"))

	d, err := make(decoders).of(mt.Descriptor(), reflect.TypeFor[tfplugin.Diagnostic]())
	if err != nil {
		t.Fatal(err)
	}
	var got tfplugin.Diagnostic
	if err := d.decode(message, reflect.ValueOf(&got).Elem()); err != nil {
		t.Fatal(err)
	}
	if want := tftypes.NewAttributePath().WithAttributeName("a"); !got.Attribute.Equal(want) {
		t.Errorf("got path %s, want %s", got.Attribute, want)
	}
}
