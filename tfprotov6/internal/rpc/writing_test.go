package rpc_test

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// writing is a provider that reports how the writing of a state ended or, if enough is set,
// responds without reading a chunk.
type writing struct {
	fake6
	ended  func(chunks int, broken bool)
	enough bool
}

func (w *writing) WriteStateBytes(_ context.Context, req *tfplugin.WriteStateBytesStream) (*tfplugin.WriteStateBytesResponse, error) {
	if w.enough {
		return &tfplugin.WriteStateBytesResponse{Diagnostics: []*tfplugin.Diagnostic{{Summary: "enough"}}}, nil
	}
	chunks, broken := 0, false
	for chunk, diags := range req.Chunks {
		if chunk != nil {
			chunks++
		}
		broken = broken || len(diags) > 0
	}
	w.ended(chunks, broken)
	return &tfplugin.WriteStateBytesResponse{Diagnostics: []*tfplugin.Diagnostic{{Summary: "written"}}}, nil
}

// noType is a type whose JSON is not that of a type.
type noType struct{ tftypes.Type }

func (noType) MarshalJSON() ([]byte, error) { return []byte(`"teapot"`), nil }
