package engine

import (
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// reading is what a piece of configuration refers to. It is the same in every
// walk and for every instance, and finding it costs as much as evaluating.
type reading struct {
	refs     []lang.Reference
	problems hcl.Diagnostics
	// functions are the providers' that it calls; calls tells whether it may call
	// any function at all.
	functions []string
	calls     bool
}

// readings are those of bodies, kept as long as the engine.
type readings struct{ m sync.Map }

type readingKey struct {
	body   *hclsyntax.Body
	schema *configschema.Block
}

func (r *readings) of(body hcl.Body, schema *configschema.Block) *reading {
	native, ok := body.(*hclsyntax.Body)
	if !ok {
		return readBody(body, schema)
	}
	key := readingKey{native, schema}
	if found, ok := r.m.Load(key); ok {
		return found.(*reading) //nolint:forcetypeassert // nothing else is in there
	}
	found := readBody(body, schema)
	r.m.Store(key, found)
	return found
}

func readBody(body hcl.Body, schema *configschema.Block) *reading {
	refs, problems := lang.ReferencesInBody(body, schema)
	return &reading{refs: refs, problems: problems, functions: lang.ProviderFunctionsInBody(body), calls: mayCall(body)}
}

func readExpr(expr hcl.Expression) *reading {
	refs, problems := lang.ReferencesInExpr(expr)
	return &reading{refs: refs, problems: problems, functions: lang.ProviderFunctionsInExpr(expr), calls: mayCall(expr)}
}

// mayCall is false only where there is certainly no call of a function.
func mayCall(of any) bool {
	node, ok := of.(hclsyntax.Node)
	if !ok {
		return true
	}
	found := false
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics { // the visit itself says nothing
		if _, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			found = true
		}
		return nil
	})
	return found
}
