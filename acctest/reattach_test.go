package acctest_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// counted counts how often its function is called.
type counted struct {
	provider.Unimplemented
	called *atomic.Int32
}

func (counted) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{
		Provider:  provider.Schema{Body: &configschema.Block{}},
		Functions: map[string]provider.FunctionDecl{"one": {ReturnType: cty.Number, Summary: "One.", Description: "One."}},
	}
}

func (c counted) CallFunction(context.Context, provider.CallFunctionRequest) provider.CallFunctionResponse {
	c.called.Add(1)
	return provider.CallFunctionResponse{Result: cty.NumberIntVal(1)}
}

// All commands speak to the one provider in this process.
func TestServedWorkdir(t *testing.T) {
	t.Parallel()
	var built, called atomic.Int32
	w := acctest.NewServedWorkdir(t, "counted", func() (provider.Interface, error) {
		built.Add(1)
		return counted{called: &called}, nil
	})
	w.Write("main.tf", "output \"one\" {\n  value = provider::counted::one()\n}\n")
	w.Do(nil, "apply", "-auto-approve")
	first := called.Load()
	w.Do(nil, "apply", "-auto-approve")
	if built.Load() != 1 || first == 0 || called.Load() <= first {
		t.Errorf("built %d times, and called %d times by one command and %d by two; want 1, and more each time", built.Load(), first, called.Load())
	}
}
