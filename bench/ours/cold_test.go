package ours_test

import (
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/ours"
)

// BenchmarkColdSchema builds a provider of a thousand types and requests only its schema.
// Its profile shows the cost of registrations.
func BenchmarkColdSchema(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s, err := ours.NewLarge(b.Context(), 1000)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.GetProviderSchema(b.Context(), &tfplugin.GetProviderSchemaRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}
