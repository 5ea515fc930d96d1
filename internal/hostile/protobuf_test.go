package hostile_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// method is a method of the gRPC service. The function call takes the bytes of a
// request. It returns errNotSent if the bytes are not a message, and an error if the method
// fails or its response cannot be encoded.
type method struct {
	name string
	call func(ctx context.Context, raw []byte) error
}

// message is a pointer to a message of the protocol. The types are internal to
// terraform-plugin-go and are inferred from the handlers.
type message[M any] interface {
	*M
	proto.Message
}

// errNotSent is returned for bytes that are not a message.
var errNotSent = errors.New("not a message")

func unary[Req, Resp any, P message[Req], Q message[Resp]](name string, handle func(context.Context, *Req) (*Resp, error)) method {
	return method{name, func(ctx context.Context, raw []byte) error {
		req := new(Req)
		if proto.Unmarshal(raw, P(req)) != nil {
			return errNotSent
		}
		resp, err := handle(ctx, req)
		if err == nil {
			_, err = proto.Marshal(Q(resp))
		}
		return err
	}}
}

// sending is the server side of a stream of responses.
type sending[M any, P message[M]] struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *sending[M, P]) Context() context.Context { return s.ctx }

func (*sending[M, P]) Send(m *M) error {
	_, err := proto.Marshal(P(m))
	return err
}

func streams[Req, Event any, P message[Req], Q message[Event]](name string, handle func(*Req, grpc.ServerStreamingServer[Event]) error) method {
	return method{name, func(ctx context.Context, raw []byte) error {
		req := new(Req)
		if proto.Unmarshal(raw, P(req)) != nil {
			return errNotSent
		}
		return handle(req, &sending[Event, Q]{ctx: ctx})
	}}
}

// receiving is the server side of a stream of identical requests.
type receiving[Req, Resp any, P message[Req], Q message[Resp]] struct {
	grpc.ServerStream
	ctx  context.Context
	raw  []byte
	left int
}

func (r *receiving[Req, Resp, P, Q]) Context() context.Context { return r.ctx }

func (r *receiving[Req, Resp, P, Q]) Recv() (*Req, error) {
	if r.left == 0 {
		return nil, io.EOF
	}
	r.left--
	req := new(Req)
	return req, proto.Unmarshal(r.raw, P(req))
}

func (*receiving[Req, Resp, P, Q]) SendAndClose(m *Resp) error {
	_, err := proto.Marshal(Q(m))
	return err
}

func receives[Req, Resp any, P message[Req], Q message[Resp]](name string, handle func(grpc.ClientStreamingServer[Req, Resp]) error) method {
	return method{name, func(ctx context.Context, raw []byte) error {
		if proto.Unmarshal(raw, P(new(Req))) != nil {
			return errNotSent
		}
		return handle(&receiving[Req, Resp, P, Q]{ctx: ctx, raw: raw, left: 2})
	}}
}

// methods returns the methods of terraform-plugin-go's service for the demo
// provider, except StopProvider.
var methods = sync.OnceValues(func() ([]method, error) {
	w, err := demoWorld()
	if err != nil {
		return nil, err
	}
	// Logging takes as much time as the calls. Package serve disables it too.
	if err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off")); err != nil {
		return nil, err
	}
	s := tf6server.New("hostile", w.judged)
	return []method{
		unary("GetMetadata", s.GetMetadata),
		unary("GetProviderSchema", s.GetProviderSchema),
		unary("GetResourceIdentitySchemas", s.GetResourceIdentitySchemas),
		unary("GetFunctions", s.GetFunctions),
		unary("ValidateProviderConfig", s.ValidateProviderConfig),
		unary("ConfigureProvider", s.ConfigureProvider),
		unary("ValidateResourceConfig", s.ValidateResourceConfig),
		unary("UpgradeResourceState", s.UpgradeResourceState),
		unary("UpgradeResourceIdentity", s.UpgradeResourceIdentity),
		unary("ReadResource", s.ReadResource),
		unary("PlanResourceChange", s.PlanResourceChange),
		unary("ApplyResourceChange", s.ApplyResourceChange),
		unary("ImportResourceState", s.ImportResourceState),
		unary("MoveResourceState", s.MoveResourceState),
		unary("GenerateResourceConfig", s.GenerateResourceConfig),
		unary("ValidateDataResourceConfig", s.ValidateDataResourceConfig),
		unary("ReadDataSource", s.ReadDataSource),
		unary("ValidateEphemeralResourceConfig", s.ValidateEphemeralResourceConfig),
		unary("OpenEphemeralResource", s.OpenEphemeralResource),
		unary("RenewEphemeralResource", s.RenewEphemeralResource),
		unary("CloseEphemeralResource", s.CloseEphemeralResource),
		unary("CallFunction", s.CallFunction),
		unary("ValidateListResourceConfig", s.ValidateListResourceConfig),
		streams("ListResource", s.ListResource),
		unary("ValidateActionConfig", s.ValidateActionConfig),
		unary("PlanAction", s.PlanAction),
		streams("InvokeAction", s.InvokeAction),
		unary("ValidateStateStoreConfig", s.ValidateStateStoreConfig),
		unary("ConfigureStateStore", s.ConfigureStateStore),
		streams("ReadStateBytes", s.ReadStateBytes),
		receives("WriteStateBytes", s.WriteStateBytes),
		unary("LockState", s.LockState),
		unary("UnlockState", s.UnlockState),
		unary("GetStates", s.GetStates),
		unary("DeleteState", s.DeleteState),
	}, nil
})

// FuzzProtobuf checks that each method of the gRPC service except StopProvider, which
// cancels the requests in progress, returns no error for any bytes that are a request.
func FuzzProtobuf(f *testing.F) {
	w := must(f, demoWorld)
	all, err := methods()
	if err != nil {
		f.Fatal(err)
	}
	for i, m := range all {
		for _, seed := range seeds(6, 300) {
			f.Add(uint8(i), requestFor(f, w, m.name, choose(seed)))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, request []byte) {
		m := all[int(which)%len(all)]
		raw(t, w, func(ctx context.Context) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if err := m.call(ctx, request); err != nil && !errors.Is(err, errNotSent) {
				t.Errorf("%s returned an error: %v", m.name, err)
			}
		})
	})
}

// requestFor returns a plausible request of a method.
func requestFor(tb testing.TB, w *world, name string, r *rand.Rand) []byte {
	tb.Helper()
	for _, suffix := range []string{".Request", ".RequestChunk"} {
		mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("tfplugin6." + name + suffix))
		if err != nil {
			continue
		}
		m := mt.New()
		fill(tb, w, r, m)
		raw, err := proto.Marshal(m.Interface())
		if err != nil {
			tb.Fatal(err)
		}
		return raw
	}
	tb.Fatalf("no request for %s", name)
	return nil
}

// fill sets the fields of a message, except for maps and lists of scalars, to plausible
// values.
func fill(tb testing.TB, w *world, r *rand.Rand, m protoreflect.Message) {
	tb.Helper()
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		switch f := fields.Get(i); {
		case f.IsMap():
			continue
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			list := m.Mutable(f).List()
			for range r.IntN(3) {
				fill(tb, w, r, list.AppendMutable().Message())
			}
		case f.IsList():
			continue
		case f.Kind() == protoreflect.MessageKind:
			child := m.NewField(f)
			fill(tb, w, r, child.Message())
			m.Set(f, child)
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(pick(r, "demo_page", "demo_badge", "demo_sheet", "demo_session", "demo_stamp", "demo_cabinet", "shout", "a")))
		case f.Kind() == protoreflect.BoolKind:
			m.Set(f, protoreflect.ValueOfBool(oneIn(r, 2)))
		case f.Kind() == protoreflect.Int64Kind:
			m.Set(f, protoreflect.ValueOfInt64(int64(r.IntN(4))))
		case f.Kind() == protoreflect.BytesKind && f.Name() == "msgpack":
			body := w.schema.ResourceTypes[pick(r, "demo_page", "demo_badge", "demo_sheet")].Body
			m.Set(f, protoreflect.ValueOfBytes(encoded(tb, body.ImpliedType(), configOf(r, body))))
		case f.Kind() == protoreflect.BytesKind:
			m.Set(f, protoreflect.ValueOfBytes([]byte(documents[r.IntN(len(documents))])))
		}
	}
}
