package rpc_test

import (
	"context"
	"fmt"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/rpc"
)

// replay responds to each call with given bytes, so that only the client is
// measured.
type replay struct {
	grpc.ClientConnInterface
	answer []byte
}

func (r replay) Invoke(_ context.Context, _ string, in, out any, _ ...grpc.CallOption) error {
	if _, err := proto.Marshal(in.(proto.Message)); err != nil {
		return err
	}
	return proto.Unmarshal(r.answer, out.(proto.Message))
}

// record keeps the last response.
type record struct {
	grpc.ClientConnInterface
	answer proto.Message
}

func (r *record) Invoke(ctx context.Context, path string, in, out any, options ...grpc.CallOption) error {
	r.answer = out.(proto.Message)
	return r.ClientConnInterface.Invoke(ctx, path, in, out, options...)
}

// BenchmarkClient measures the client side of an RPC without the network, and
// for comparison the decoding of the protobuf message.
func BenchmarkClient(b *testing.B) {
	schemas := &tfplugin.GetProviderSchemaResponse{ResourceSchemas: make(map[string]*tfplugin.Schema)}
	for r := range 1000 {
		block := &tfplugin.SchemaBlock{}
		for a := range 20 {
			block.Attributes = append(block.Attributes, &tfplugin.SchemaAttribute{
				Name: fmt.Sprintf("attribute_%d", a), Type: tftypes.String, Optional: true, Description: "Name of the user.",
			})
		}
		block.BlockTypes = []*tfplugin.SchemaNestedBlock{{TypeName: "timeouts", Nesting: tfplugin.SchemaNestedBlockNestingModeSingle, Block: &tfplugin.SchemaBlock{
			Attributes: []*tfplugin.SchemaAttribute{{Name: "tags", Type: tftypes.Map{ElementType: tftypes.String}, Optional: true}},
		}}}
		schemas.ResourceSchemas[fmt.Sprintf("test_resource_%d", r)] = &tfplugin.Schema{Block: block}
	}
	plan := &tfplugin.PlanResourceChangeResponse{PlannedState: &tfplugin.DynamicValue{MsgPack: make([]byte, 1000)}, PlannedPrivate: make([]byte, 50)}
	for _, bm := range []struct {
		name   string
		answer any
		call   func(p tfplugin.ProviderServer) error
	}{
		{"schemas of 1000 resources", schemas, func(p tfplugin.ProviderServer) error {
			_, err := p.GetProviderSchema(b.Context(), nil)
			return err
		}},
		{"plan", plan, func(p tfplugin.ProviderServer) error {
			value := plan.PlannedState
			_, err := p.PlanResourceChange(b.Context(), &tfplugin.PlanResourceChangeRequest{
				TypeName: "test_resource_1", PriorState: value, ProposedNewState: value, Config: value,
				ClientCapabilities: &tfplugin.PlanResourceChangeClientCapabilities{},
			})
			return err
		}},
	} {
		recorded := &record{ClientConnInterface: serve(b, &fake6{memory{answer: bm.answer}}, nil)}
		direct, err := rpc.Provider6(rpc.Conn{GRPC: recorded})
		if err != nil {
			b.Fatal(err)
		}
		if err := bm.call(direct); err != nil {
			b.Fatal(err)
		}
		answer, err := proto.Marshal(recorded.answer)
		if err != nil {
			b.Fatal(err)
		}
		p, err := rpc.Provider6(rpc.Conn{GRPC: replay{answer: answer}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bm.name+"/client", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bm.call(p); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(bm.name+"/protobuf", func(b *testing.B) {
			message := recorded.answer.ProtoReflect().Type()
			b.ReportAllocs()
			for b.Loop() {
				if err := proto.Unmarshal(answer, message.New().Interface()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
