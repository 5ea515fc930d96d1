package engine

import (
	"cmp"
	"errors"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// node is a resource instance in a walk.
type node struct {
	*walk
	addr addrs.AbsResourceInstance
	// text is the address, for messages.
	text string
	// config is nil if the configuration does not have the module. block is nil if the configuration
	// does not have the resource, or if its block is not needed.
	config *configs.Config
	block  *configs.Resource
	rep    repetition

	provider *instance
	schema   *typeSchema
}

func (w *walk) node(addr addrs.AbsResourceInstance, config *configs.Config, block *configs.Resource, rep repetition, p *instance, t *typeSchema) *node {
	return &node{walk: w, addr: addr, text: addr.String(), config: config, block: block, rep: rep, provider: p, schema: t}
}

// scope returns the scope of the block's expressions.
func (n *node) scope() *scope {
	return n.walk.scope(n.addr.Module, n.config).repeated(n.rep)
}

// errorf returns an error about the instance.
func (n *node) errorf(summary, format string, args ...any) tfdiags.Diagnostics {
	return tfdiags.Diagnostics{}.Errorf(n.text, summary, format, args...)
}

// providerErrorf returns an error about a response of the provider. The format
// continues the sentence "Provider … ".
func (n *node) providerErrorf(summary, format string, args ...any) tfdiags.Diagnostics {
	d := n.errorf(summary, format, args...)
	d[0].Detail = "Provider " + quoted(n.provider.addr.Provider.String()) + " " + d[0].Detail + providerBug
	return d
}

const providerBug = "\n\nThis is a bug in the provider. Report it to its authors."

func quoted(s string) string { return `"` + s + `"` }

// providerDiags converts diagnostics of the provider, with their source ranges if the node has a
// block.
func (n *node) providerDiags(d diag.Diagnostics) tfdiags.Diagnostics {
	if len(d) == 0 {
		return nil
	}
	out := tfdiags.FromProvider(n.text, d)
	if n.block != nil {
		out = out.InBody(n.block.Config)
	}
	return out
}

// meta returns the provider_meta for the node's provider: that of the module, or of the root module
// if the configuration does not have the module.
func (n *node) meta() (cty.Value, tfdiags.Diagnostics) {
	v, diags := n.walk.scope(n.addr.Module, cmp.Or(n.config, n.walk.config)).metaFor(n.provider)
	return v, diags.ForAddress(n.text)
}

func (n *node) terraform() bool { return n.options.Flavor == Terraform }

// typeProblem returns why v is not of the type, or "".
func typeProblem(v cty.Value, ty cty.Type) string {
	if v == cty.NilVal {
		return "no value"
	}
	errs := v.Type().TestConformance(ty)
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = errorText(err)
	}
	return strings.Join(texts, "; ")
}

// withPath returns the text of err after the address of the object and the path of err.
func (n *node) withPath(err error) string {
	at, _ := errors.AsType[cty.PathError](err)
	return n.text + dotted(at.Path) + ": " + err.Error()
}

// errorText returns the text of err with its path.
func errorText(err error) string {
	if at, ok := errors.AsType[cty.PathError](err); ok && len(at.Path) > 0 {
		return dotted(at.Path) + ": " + err.Error()
	}
	return err.Error()
}

// valueOrNull returns v, or null of the type if v is cty.NilVal: core decodes a missing
// value to null.
func valueOrNull(v cty.Value, ty cty.Type) cty.Value {
	if v == cty.NilVal {
		return cty.NullVal(ty)
	}
	return v
}

// checkWriteOnly returns an error for each write-only attribute that is set; summary is
// that of Terraform.
func (n *node) checkWriteOnly(v cty.Value, summary string) tfdiags.Diagnostics {
	if !n.terraform() {
		summary = "Invalid provider response"
	}
	var diags tfdiags.Diagnostics
	for path := range n.schema.Body.WriteOnlyValues(v) {
		diags = append(diags, n.providerErrorf(summary, "returned a value for the write-only attribute %s%s. Write-only attributes cannot be read back from the provider.",
			quoted(n.text), dotted(path))...)
	}
	return diags
}

func dotted(path cty.Path) string {
	text := diag.FormatPath(path)
	if text == "" || strings.HasPrefix(text, "[") {
		return text
	}
	return "." + text
}

// visible returns an object as expressions use it, with sensitive values marked.
func (n *node) visible(v cty.Value, sensitive []cty.Path) cty.Value {
	return visible(n.schema.Body, v, sensitive)
}

func visible(schema *configschema.Block, v cty.Value, sensitive []cty.Path) cty.Value {
	if v == cty.NilVal {
		return cty.DynamicVal
	}
	v = lang.MarkPaths(v, sensitive, lang.Sensitive)
	unmarked, _ := v.UnmarkDeep()
	return lang.MarkPaths(v, schema.SensitivePaths(unmarked, nil), lang.Sensitive)
}

// current returns the node's object in the working state, upgraded, or nil.
func (n *node) current() (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	src := n.state.ResourceInstanceObject(n.addr, states.CurrentGen)
	if src == nil {
		return nil, nil
	}
	if was, retyped := n.retyped[n.text]; retyped {
		return n.retype(src, was)
	}
	return n.decode(src)
}

// save stores the object in a state. If the object is nil or its value is null, it is removed.
func (n *node) save(state *states.SyncState, obj *states.ResourceInstanceObject) tfdiags.Diagnostics {
	if obj == nil || obj.Value.IsKnown() && obj.Value.IsNull() {
		state.SetResourceInstanceCurrent(n.addr, nil, n.provider.addr)
		return nil
	}
	src, err := n.encode(obj)
	if err != nil {
		return n.errorf("Failed to encode "+n.text+" in state", "%s.", err)
	}
	state.SetResourceInstanceCurrent(n.addr, src, n.provider.addr)
	return nil
}

func (n *node) encode(obj *states.ResourceInstanceObject) (*states.ResourceInstanceObjectSrc, error) {
	if !obj.Value.IsWhollyKnown() { // OpenTofu accepts such an object from a read
		known := *obj
		known.Value = cty.UnknownAsNull(obj.Value)
		obj = &known
	}
	if secret := n.schema.Body.SensitivePaths(obj.Value, nil); len(secret) > 0 {
		marked := *obj
		marked.SensitivePaths = mergePaths(obj.SensitivePaths, secret)
		obj = &marked
	}
	return obj.Encode(n.schema.ty, uint64(max(n.schema.Version, 0)), uint64(max(n.schema.IdentityVersion, 0)))
}
