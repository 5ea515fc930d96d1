package zone_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/examples/authoring/zone"
	"github.com/posixform/terraform-provider-posix/provider"
)

// [conformance

func TestConformance(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "zone")
	names := []string{"www", "mail", "a.b"}
	addresses := []cty.Value{cty.StringVal("192.0.2.7"), cty.StringVal("192.0.2.8")}
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return zone.New() },
		Config: cty.ObjectVal(map[string]cty.Value{
			"directory": cty.StringVal(directory), "origin": cty.NullVal(cty.String), "password": cty.NullVal(cty.String),
		}),
		Reset: func(context.Context) error { return os.RemoveAll(directory) },
		Types: map[string]conformance.Type{"zone_record": {
			Values: map[string]func(*rand.Rand) cty.Value{
				"name":   func(r *rand.Rand) cty.Value { return cty.StringVal(names[r.IntN(len(names))]) },
				"values": func(r *rand.Rand) cty.Value { return cty.SetVal(addresses[:1+r.IntN(2)]) },
			},
		}},
	})
}

// conformance]
