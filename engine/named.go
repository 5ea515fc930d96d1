package engine

import (
	"encoding/json"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// evalVariable sets an input variable in all instances of its module.
func (w *walk) evalVariable(config *configs.Config, v *configs.Variable) tfdiags.Diagnostics {
	if config.Path.IsRoot() {
		given, ok := w.variables[v.Name]
		if !ok && v.Default == cty.NilVal {
			if w.op != validating {
				return errorAt(v.DeclRange, "No value for required variable",
					"The variable \""+v.Name+"\" has no default and is not set. Set it in the step's variables.")
			}
			given = cty.UnknownVal(v.Type)
		}
		if w.op == validating {
			given = cty.UnknownVal(v.Type)
		}
		var diags tfdiags.Diagnostics
		if ok {
			diags = w.deprecatedArgument(config, v, v.DeclRange)
		}
		return append(diags, w.setVariable(config, addrs.RootModuleInstance, v, given, v.DeclRange)...)
	}
	call := config.Parent.Module.ModuleCalls[config.Path[len(config.Path)-1]]
	return eachOf(w.moduleInstances(config.Path), func(inst moduleInstance) tfdiags.Diagnostics {
		argument := call.Arguments[v.Name]
		if argument == nil {
			if v.Default == cty.NilVal {
				return errorAt(call.DeclRange, "Missing required argument", "The module has a variable \""+v.Name+"\" without a default. Set it here.")
			}
			return w.setVariable(config, inst.addr, v, cty.NilVal, v.DeclRange)
		}
		given, diags := w.scope(inst.addr.Parent(), config.Parent).repeated(inst.repetition).expr(argument.Expr, cty.DynamicPseudoType)
		if diags.HasErrors() {
			return diags
		}
		diags = append(diags, w.deprecatedArgument(config, v, argument.Expr.Range())...)
		return append(diags, w.setVariable(config, inst.addr, v, given, argument.Expr.Range())...)
	})
}

// setVariable converts a value, sets the variable, and evaluates its validations; cty.NilVal
// means that no value was given.
func (w *walk) setVariable(config *configs.Config, module addrs.ModuleInstance, v *configs.Variable, given cty.Value, where hcl.Range) tfdiags.Diagnostics {
	if given == cty.NilVal {
		given = v.Default
	}
	if given.IsNull() && !v.Nullable && v.Default != cty.NilVal {
		given = v.Default
	}
	converted, err := v.Convert(given)
	if err != nil {
		return errorAt(where, "Invalid value for input variable", "The value is not valid for "+prefixed(config.Path, "var."+v.Name)+", declared at "+v.DeclRange.String()+": "+err.Error()+".")
	}
	if lang.Carries(converted, lang.Ephemeral) && !v.Ephemeral {
		summary := "Variable does not allow ephemeral value"
		if w.options.Flavor == Terraform {
			summary = "Ephemeral value not allowed"
		}
		return errorAt(where, summary, "The value of the variable \""+v.Name+"\" is ephemeral, but its declaration does not have ephemeral = true.")
	}
	if converted.IsNull() && !v.Nullable {
		return errorAt(where, "Required variable not set", "The variable \""+v.Name+"\" is not nullable, and its value is null.")
	}
	key := valueKey{module.String(), kindVariable, v.Name}
	w.values.set(key, withMarks(converted, v.Sensitive, v.Ephemeral))
	s := w.scope(module, config)
	address := prefixed(module, "var."+v.Name)
	diags := s.conditions(conditionContext{kind: kindVariable, object: prefixed(config.Path, "var."+v.Name), instance: address, summary: "Invalid value for variable", where: where, strict: true}, v.Validations)
	if w.op == validating { // a module is validated for all values of its variables, not only for those of this call
		w.values.set(key, withMarks(cty.UnknownVal(v.Type.WithoutOptionalAttributesDeep()), v.Sensitive, v.Ephemeral))
	}
	return diags
}

// withMarks returns the value of a variable or an output with the marks of its declaration, for use in
// expressions.
func withMarks(v cty.Value, sensitive, ephemeral bool) cty.Value {
	if sensitive {
		v = v.Mark(lang.Sensitive)
	}
	if ephemeral {
		v = v.Mark(lang.Ephemeral)
	}
	return v
}

// evalLocal sets a local value in all instances of its module.
func (w *walk) evalLocal(config *configs.Config, l *configs.Local) tfdiags.Diagnostics {
	self := addrs.LocalValue{Name: l.Name}
	for _, ref := range refsInExpr(l.Expr).refs {
		if ref.Subject == lang.Referenceable(self) {
			return errorAt(ref.Range, "Self-referencing local value", self.String()+" cannot refer to itself.")
		}
	}
	return eachOf(w.moduleInstances(config.Path), func(inst moduleInstance) tfdiags.Diagnostics {
		v, diags := w.scope(inst.addr, config).expr(l.Expr, cty.DynamicPseudoType)
		w.values.set(valueKey{inst.addr.String(), kindLocal, l.Name}, v)
		return diags
	})
}

// evalOutput sets an output in all instances of its module, and in the state if it is
// an output of the root module.
func (w *walk) evalOutput(config *configs.Config, o *configs.Output) tfdiags.Diagnostics {
	return eachOf(w.moduleInstances(config.Path), func(inst moduleInstance) tfdiags.Diagnostics {
		s := w.scope(inst.addr, config)
		address := addrs.OutputValue{Name: o.Name}.Absolute(inst.addr).String()
		diags := s.conditions(conditionContext{kind: kindOutputValue, object: prefixed(config.Path, "output."+o.Name), instance: address, summary: "Module output value precondition failed", where: o.DeclRange}, o.Preconditions)
		if diags.HasErrors() {
			return diags
		}
		v, moreDiags := s.outputValue(o)
		diags = diags.Append(moreDiags)
		if w.op == validating {
			diags = append(diags, s.dependsOn(o.DependsOn)...)
		}
		if diags.HasErrors() {
			if w.op == applying && inst.addr.IsRoot() && !o.Ephemeral {
				w.state.RemoveOutputValue(addrs.OutputValue{Name: o.Name}.Absolute(inst.addr))
			}
			return diags
		}
		later := w.options.Flavor == OpenTofu && !v.IsMarked() && !v.IsWhollyKnown() // OpenTofu then leaves the check to a later evaluation
		if lang.Carries(v, lang.Ephemeral) && !o.Ephemeral && !later {
			summary := "Output does not allow ephemeral value"
			if w.options.Flavor == Terraform {
				summary = "Ephemeral value not allowed"
			}
			return append(diags, errorAt(o.Expr.Range(), summary, "The value is ephemeral, but the output is not. Set ephemeral = true, or use a value that can be stored.")...)
		}
		if o.Ephemeral && w.options.Flavor == Terraform && !v.HasMark(lang.Ephemeral) {
			return append(diags, errorAt(o.Expr.Range(), "Value not allowed in ephemeral output", "The output is ephemeral, but the value is not. Remove ephemeral = true.")...)
		}
		if inst.addr.IsRoot() {
			if lang.Carries(v, lang.Sensitive) && !o.Sensitive {
				return append(diags, errorAt(o.DeclRange, "Output refers to sensitive values", "The value is sensitive, but the output is not, so it would be shown. If that is intended, declare the output as sensitive:\n    sensitive = true")...)
			}
			if w.op != validating && !o.Ephemeral {
				plain, _ := v.UnmarkDeep()
				w.saveOutput(o, plain)
			}
		}
		w.values.set(valueKey{inst.addr.String(), kindOutput, o.Name}, withMarks(v, o.Sensitive, o.Ephemeral))
		return diags
	})
}

// outputValue evaluates an output. As in core, an apply keeps the planned value of an output of the
// root module if it is known: a provider with the legacy type system may apply a different value.
func (s *scope) outputValue(o *configs.Output) (cty.Value, tfdiags.Diagnostics) {
	if s.op == applying && s.module.IsRoot() {
		for _, c := range s.plan.Outputs {
			if c.Name == o.Name && c.Action != plans.Delete && c.After.IsWhollyKnown() {
				return c.After, nil
			}
		}
	}
	return s.expr(o.Expr, cty.DynamicPseudoType)
}

// outputChanges compares the root module's outputs with those of the previous run.
func (w *walk) outputChanges() []*plans.OutputChange {
	if w.destroying() && len(w.targets) > 0 {
		return nil
	}
	prior := map[string]*plans.OutputChange{}
	for name, o := range w.previous.RootModule().OutputValues {
		prior[name] = &plans.OutputChange{Name: name, Action: plans.Delete, Before: o.Value, After: cty.NullVal(cty.DynamicPseudoType), Sensitive: o.Sensitive}
	}
	var out []*plans.OutputChange
	declared := w.config.Module.Outputs
	if w.opts.Mode == plans.DestroyMode {
		declared = nil
	}
	for _, name := range sortedKeys(declared) {
		o := declared[name]
		v, ok := w.values.get(valueKey{kind: kindOutput, name: name})
		if !ok || o.Ephemeral {
			delete(prior, name) // outputs that were not evaluated stay unchanged, and ephemeral ones are not stored
			continue
		}
		v, _ = v.UnmarkDeep()
		c := prior[name]
		delete(prior, name)
		switch {
		case c == nil:
			c = &plans.OutputChange{Name: name, Action: plans.Create, Before: cty.NullVal(cty.DynamicPseudoType)}
			if v.IsNull() && !w.changesDeprecation(o) {
				c.Action = plans.NoOp
			}
		case v.IsWhollyKnown() && c.Before.RawEquals(v) && c.Sensitive == o.Sensitive && !w.changesDeprecation(o):
			c.Action = plans.NoOp
		default:
			c.Action = plans.Update
		}
		c.After, c.Sensitive = v, o.Sensitive || c.Sensitive
		out = append(out, c)
	}
	for _, name := range sortedKeys(prior) {
		out = append(out, prior[name])
	}
	return out
}

// deprecatedField is the field of an output in the state with the message of its deprecation. Only
// OpenTofu stores it, and plans an update if it changes.
const deprecatedField = "deprecated"

// changesDeprecation reports whether the plan changes the stored deprecation of an output.
func (w *walk) changesDeprecation(o *configs.Output) bool {
	if w.options.Flavor == Terraform {
		return false
	}
	stored := ""
	if prior := w.previous.RootModule().OutputValues[o.Name]; prior != nil && prior.Extra[deprecatedField] != nil {
		if err := json.Unmarshal(prior.Extra[deprecatedField], &stored); err != nil {
			return true
		}
	}
	return stored != o.Deprecated
}

// expandModule sets the instances of the called module.
func (w *walk) expandModule(config *configs.Config, call *configs.ModuleCall) tfdiags.Diagnostics {
	child := config.Children[call.Name]
	if w.op == validating {
		unknown := repetition{index: cty.UnknownVal(cty.Number), key: cty.UnknownVal(cty.String), value: cty.DynamicVal} // even without count or for_each
		w.expanded.set(child.Path.String(), []moduleInstance{{addr: child.Path.UnkeyedInstance(), repetition: unknown}})
		return eachOf(w.moduleInstances(config.Path), func(parent moduleInstance) tfdiags.Diagnostics {
			s := w.scope(parent.addr, config)
			diags := s.validateRepetition(call.Count, call.ForEach)
			return append(diags, s.dependsOn(call.DependsOn)...)
		})
	}
	var (
		all   []moduleInstance
		diags tfdiags.Diagnostics
	)
	for _, parent := range w.moduleInstances(config.Path) {
		x, moreDiags := w.scope(parent.addr, config).expand(call.Count, call.ForEach, call.Enabled)
		diags = append(diags, moreDiags...)
		for _, k := range x.keys {
			all = append(all, moduleInstance{addr: parent.addr.Child(call.Name, k), repetition: x.repetition(k)})
		}
	}
	w.expanded.set(child.Path.String(), all)
	return diags
}

// saveOutput stores an output of the root module, or removes it if it is null. A plan
// does this too: if its apply fails, the output has the planned value, or its former one
// if the planned value is not known. An import command stores null for unknown values.
func (w *walk) saveOutput(o *configs.Output, v cty.Value) {
	addr := addrs.OutputValue{Name: o.Name}.Absolute(addrs.RootModuleInstance)
	switch {
	case w.op == planning && !w.importing() && !v.IsWhollyKnown():
		return
	case v.IsNull():
		w.state.RemoveOutputValue(addr)
		return
	}
	state := w.state.Lock()
	defer w.state.Unlock()
	stored := state.RootModule().SetOutputValue(o.Name, cty.UnknownAsNull(v), o.Sensitive)
	if o.Deprecated != "" && w.options.Flavor == OpenTofu {
		message, _ := json.Marshal(o.Deprecated) //nolint:errchkjson // a string has no error
		stored.Extra = map[string]json.RawMessage{deprecatedField: message}
	}
}
