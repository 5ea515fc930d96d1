package acctest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclwrite"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
)

// importName is the name of the file with the import block.
const importName = "terraform_plugin_test_import.tf"

// importState runs a step that runs the import command or plans an import block. The state
// is unchanged afterwards unless ImportStatePersist is set.
func (r *runner) importState(files *fileSet) error {
	step := r.step
	byBlock := step.ImportStateKind != resource.ImportCommandWithID
	byIdentity := step.ImportStateKind == resource.ImportBlockWithResourceIdentity
	switch {
	case step.GenerateConfig && !byBlock:
		return errors.New("GenerateConfig needs an import block: set ImportStateKind to ImportBlockWithID or ImportBlockWithResourceIdentity")
	case byBlock && step.ImportStatePersist:
		return errors.New("ImportStatePersist is not supported with import blocks, which are only planned: set ImportStateKind to ImportCommandWithID")
	case byBlock && step.ImportStateVerify:
		return errors.New("ImportStateVerify is not supported with import blocks, because their plan shows every difference: remove ImportStateVerify")
	case step.ResourceName == "":
		return fatalf("ImportState: ResourceName must be set to the address to import")
	}
	id, err := r.importID()
	if err != nil {
		return fatal{err}
	}
	if files == nil {
		files = r.applied
	}
	if files == nil {
		return fatalf("ImportState: neither the step nor one before it has a configuration")
	}
	if byBlock {
		return r.importBlock(files, id, byIdentity)
	}
	return r.importCommand(files, id)
}

// importID returns the import ID: ImportStateIdPrefix and the ID that the step sets, or
// else the ID of the resource in the state.
func (r *runner) importID() (string, error) {
	step := r.step
	id := step.ImportStateId
	switch {
	case step.ImportStateIdFunc != nil:
		state, err := r.legacy()
		if err != nil {
			return "", err
		}
		if id, err = step.ImportStateIdFunc(state); err != nil {
			return "", fmt.Errorf("ImportStateIdFunc: %w", err)
		}
	case id == "":
		state, err := r.legacy()
		if err != nil {
			return "", err
		}
		for _, m := range state.Modules {
			if found := m.Resources[step.ResourceName]; found != nil {
				return step.ImportStateIdPrefix + found.Primary.ID, nil
			}
		}
		return "", fmt.Errorf("ImportState: the state has no %s", step.ResourceName)
	}
	return step.ImportStateIdPrefix + id, nil
}

// legacy returns the state, which is empty before the first step with a configuration.
func (r *runner) legacy() (*terraform.State, error) {
	if r.session.engine == nil {
		return legacyState(&tfjson.State{})
	}
	return r.session.legacy()
}

// importCommand runs the import command and the checks of the step: ImportStateCheck and,
// with ImportStateVerify, a comparison with the state before the import.
func (r *runner) importCommand(files *fileSet, id string) error {
	step := r.step
	var before *terraform.State
	var err error
	if step.ImportStateVerify {
		if before, err = r.legacy(); err != nil {
			return fatal{err}
		}
	}
	addr, err := addrs.ParseAbsResourceInstanceStr(step.ResourceName)
	if err != nil {
		return fatalf("ImportState: ResourceName: %w", err)
	}
	s := r.session
	if !step.ImportStatePersist {
		s = s.withoutState()
	}
	if err := s.setConfig(files, step.ConfigVariables); err != nil {
		return fatalf("the configuration cannot be used: %w", err)
	}
	if err := s.importByID(addr, id); err != nil {
		return err
	}
	if step.ImportStateCheck == nil && !step.ImportStateVerify {
		return nil
	}
	after, err := s.legacy()
	if err != nil {
		return fatal{err}
	}
	if step.ImportStateCheck != nil {
		if err := step.ImportStateCheck(imported(after)); err != nil {
			return fatalf("ImportStateCheck: %w", err)
		}
	}
	if !step.ImportStateVerify {
		return nil
	}
	return r.verifyImport(managed(before), managed(after))
}

// imported returns the argument of ImportStateCheck.
func imported(state *terraform.State) []*terraform.InstanceState {
	var out []*terraform.InstanceState
	for _, found := range managed(state) {
		instance := found.Primary.DeepCopy() //nolint:staticcheck // checks may change their argument
		instance.Ephemeral.Type = found.Type
		out = append(out, instance)
	}
	return out
}

// managed returns the managed resources of all modules, sorted by name in each module.
func managed(state *terraform.State) []*terraform.ResourceState {
	var out []*terraform.ResourceState
	for _, m := range state.Modules {
		var path strings.Builder
		for _, name := range m.Path[1:] {
			path.WriteString("module." + name + ".")
		}
		for _, key := range slices.Sorted(maps.Keys(m.Resources)) {
			if !strings.HasPrefix(key, path.String()+"data.") {
				out = append(out, m.Resources[key])
			}
		}
	}
	return out
}

// verifyImport compares the attributes of each imported object with those of the stored
// object that has the same type and the same value of the identifying attribute.
func (r *runner) verifyImport(before, after []*terraform.ResourceState) error {
	name := cmp.Or(r.step.ImportStateVerifyIdentifierAttribute, "id")
	const advice = "the attribute that identifies objects: set it in the provider, or set ImportStateVerifyIdentifierAttribute to another attribute"
	if len(after) == 0 {
		return fatalf("ImportStateVerify: the import found no object, so there is nothing to verify")
	}
	for _, found := range after {
		id, ok := found.Primary.Attributes[name]
		if !ok {
			return fatalf("ImportStateVerify: the imported %s has no %q, %s", found.Type, name, advice)
		}
		var was *terraform.ResourceState
		for _, candidate := range before {
			if candidate.Type != found.Type || candidate.Provider != found.Provider {
				continue
			}
			other, ok := candidate.Primary.Attributes[name]
			if !ok {
				return fatalf("ImportStateVerify: the %s in the state has no %q, %s", found.Type, name, advice)
			}
			if other == id {
				was = candidate
				break
			}
		}
		if was == nil {
			return fatalf("ImportStateVerify: the state before the import has no %s whose %q is %q", found.Type, name, id)
		}
		want, got := r.comparable(was.Primary.Attributes), r.comparable(found.Primary.Attributes)
		for key, value := range want {
			if other, ok := got[key]; ok && other == value {
				delete(want, key)
				delete(got, key)
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			return fmt.Errorf("ImportStateVerify attributes not equivalent: the imported %s differs from the object before the import (-before +imported):\n%s", found.Type, diff)
		}
	}
	return nil
}

// comparable returns the attributes that ImportStateVerify compares: without empty
// collections, ignored attributes and timeouts.
func (r *runner) comparable(attributes map[string]string) map[string]string {
	out := withoutPrefixes(attributes, r.step.ImportStateVerifyIgnore)
	maps.DeleteFunc(out, func(key, value string) bool {
		size := strings.HasSuffix(key, ".#") || strings.HasSuffix(key, ".%")
		return size && value == "0" || key == "timeouts" || strings.HasPrefix(key, "timeouts.")
	})
	return out
}

// importBlock plans an import block. The object must be imported, without another
// change unless the step expects one.
func (r *runner) importBlock(files *fileSet, id string, byIdentity bool) error {
	step, name := r.step, r.step.ResourceName
	var identity map[string]any
	if byIdentity {
		if r.session.engine != nil {
			shown, err := r.session.stateJSON()
			if err != nil {
				return fatal{err}
			}
			identity = identityIn(shown.Values, name)
		}
		if len(identity) == 0 {
			return fmt.Errorf("import block of %s: the state has no identity for the resource", name)
		}
	}
	if step.GenerateConfig && r.number > 1 {
		// The resource block still exists, so the generated block needs a different name.
		parts := strings.Split(name, ".")
		if len(parts) == 1 {
			return fatalf("GenerateConfig: ResourceName must be the address of a resource, got %q", name)
		}
		name = strings.Replace(name, "."+parts[1], ".generated", 1)
	}
	if !step.ImportStateConfigExact {
		block, err := importText(name, id, identity)
		if err != nil {
			return fatal{err}
		}
		files = files.with(importName, block)
	}
	s := r.session.withoutState()
	if r.number > 1 {
		s.state = r.session.state
		if !step.GenerateConfig {
			if err := s.forget(name); err != nil {
				return fatal{err}
			}
		}
	}
	if err := s.setConfig(files, step.ConfigVariables); err != nil {
		return fatalf("the configuration cannot be used: %w", err)
	}
	plan, err := s.plan(engine.PlanOptions{GenerateConfig: step.GenerateConfig})
	if err != nil {
		return fmt.Errorf("the import block cannot be planned: %w", err)
	}
	shown, err := s.planJSON(plan)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(shown.ResourceChanges, func(c *tfjson.ResourceChange) bool { return c.Address == name })
	switch {
	case i < 0:
		return fmt.Errorf("import block of %s: the plan has no change for the resource", name)
	case shown.ResourceChanges[i].Change.Importing == nil:
		return fmt.Errorf("import block of %s: the plan does not import the resource, but has the actions %q:\n\n%s", name, shown.ResourceChanges[i].Change.Actions, s.planText(plan))
	case !step.ExpectNonEmptyPlan && !shown.ResourceChanges[i].Change.Actions.NoOp():
		return fmt.Errorf("importing resource %s: expected a no-op import operation, got the actions %q:\n\n%s", name, shown.ResourceChanges[i].Change.Actions, s.planText(plan))
	}
	if err := s.checkPlan(plan, step.ImportPlanChecks.PreApply); err != nil {
		return err
	}
	if byIdentity {
		if diff := gocmp.Diff(identity, identityIn(shown.PlannedValues, name)); diff != "" {
			return fmt.Errorf("import block of %s: the imported identity differs from the one in the state (-before +imported):\n%s", name, diff)
		}
	}
	return nil
}

// identityIn returns the identity of a resource of the root module, or nil.
func identityIn(values *tfjson.StateValues, address string) map[string]any {
	if values == nil || values.RootModule == nil {
		return nil
	}
	for _, found := range values.RootModule.Resources {
		if found.Address == address {
			return found.IdentityValues
		}
	}
	return nil
}

// importText returns an import block by identity, or by ID if identity is nil.
func importText(address, id string, identity map[string]any) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "import {\n  to = %s\n", address)
	if identity == nil {
		fmt.Fprintf(&b, "  id = %s\n}\n", hclwrite.TokensForValue(cty.StringVal(id)).Bytes())
		return b.String(), nil
	}
	b.WriteString("  identity = {\n")
	for _, name := range slices.Sorted(maps.Keys(identity)) {
		if identity[name] == nil {
			continue
		}
		encoded, err := json.Marshal(identity[name])
		if err != nil {
			return "", err
		}
		v, err := fromJSON(json.RawMessage(encoded))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "    %s = %s\n", name, hclwrite.TokensForValue(v).Bytes())
	}
	b.WriteString("  }\n}\n")
	return b.String(), nil
}
