package configs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Config is one module of the static tree, with the modules that it calls.
type Config struct {
	Path     addrs.Module
	Module   *Module
	Parent   *Config
	Children map[string]*Config
	// Base is the folder on disk where relative paths begin, those of modules as
	// well as those that functions read; "" is the working directory. The whole
	// tree shares it.
	Base string
	// Files are all that was read, by name, for messages that show lines. The
	// whole tree shares them.
	Files map[string]*hcl.File
}

// Descendant is the module at the path below c, or nil.
func (c *Config) Descendant(path addrs.Module) *Config {
	for _, name := range path {
		if c = c.Children[name]; c == nil {
			return nil
		}
	}
	return c
}

// Module is what the files of one folder say.
type Module struct {
	// Dir is the folder, relative to where the root was loaded from.
	Dir string

	// RequiredProviders is from each local name to its source; names that are
	// used without being required are there too.
	RequiredProviders map[string]addrs.Provider
	// ProviderConfigs has the provider blocks, under "name" or "name.alias".
	ProviderConfigs map[string]*ProviderConfig
	// Aliases are the configurations that callers have to pass
	// (configuration_aliases).
	Aliases []addrs.LocalProviderConfig
	// ProviderMetas has the provider_meta blocks, by local name.
	ProviderMetas map[string]hcl.Body

	Variables   map[string]*Variable
	Locals      map[string]*Local
	Outputs     map[string]*Output
	ModuleCalls map[string]*ModuleCall
	// Resources has resource, data and ephemeral blocks, those inside of check
	// blocks too.
	Resources map[addrs.Resource]*Resource
	Checks    map[string]*Check
	Imports   []*Import
	Moved     []*Moved
	Removed   []*Removed

	opts Options
	// explicit are the names of RequiredProviders that the module requires.
	explicit map[string]bool
}

// ProviderConfig is a provider block.
type ProviderConfig struct {
	Name, Alias string
	Config      hcl.Body
	DeclRange   hcl.Range

	// empty blocks of modules are only a name for what callers pass.
	empty bool
}

// Variable is a variable block.
type Variable struct {
	Name        string
	Description string
	// Type is the constraint, with optional attributes in it; cty.DynamicPseudoType
	// where there is none.
	Type cty.Type
	// Defaults are those of optional attributes; nil if there are none.
	Defaults *TypeDefaults
	// Default is cty.NilVal for a variable that has to be set.
	Default     cty.Value
	Sensitive   bool
	Ephemeral   bool
	Nullable    bool
	Validations []*CheckRule
	DeclRange   hcl.Range
}

// Local is one name of a locals block.
type Local struct {
	Name      string
	Expr      hcl.Expression
	DeclRange hcl.Range
}

// Output is an output block.
type Output struct {
	Name          string
	Description   string
	Expr          hcl.Expression
	Sensitive     bool
	Ephemeral     bool
	DependsOn     []hcl.Traversal
	Preconditions []*CheckRule
	DeclRange     hcl.Range
}

// ModuleCall is a module block. Its source has been loaded: it is the child of
// the name in the Config.
type ModuleCall struct {
	Name   string
	Source string
	Config hcl.Body // the arguments: the child's variables
	// Arguments are those of Config that the child has variables for.
	Arguments      hcl.Attributes
	Count, ForEach hcl.Expression
	DependsOn      []hcl.Traversal
	// Providers is from the child's configuration to the caller's; nil passes
	// the default configurations on.
	Providers   map[addrs.LocalProviderConfig]addrs.LocalProviderConfig
	DeclRange   hcl.Range
	SourceRange hcl.Range

	// passedAt are the places of Providers, by the child's names.
	passedAt map[addrs.LocalProviderConfig]hcl.Range
}

// Resource is a resource, data or ephemeral block.
type Resource struct {
	Addr           addrs.Resource
	Config         hcl.Body // what the type's schema describes
	Count, ForEach hcl.Expression
	// ProviderConfigRef is what the block says or what its type implies.
	ProviderConfigRef addrs.LocalProviderConfig
	DependsOn         []hcl.Traversal
	Preconditions     []*CheckRule
	Postconditions    []*CheckRule
	Managed           ManagedResource
	// InCheck is the name of the check block that the data source is in, or "".
	InCheck   string
	DeclRange hcl.Range
	TypeRange hcl.Range

	// providerSaid is whether the block has a provider argument.
	providerSaid bool
}

// ManagedResource is the lifecycle of a resource block.
type ManagedResource struct {
	CreateBeforeDestroy  bool
	PreventDestroy       bool
	IgnoreChanges        []hcl.Traversal
	IgnoreAllChanges     bool
	ReplaceTriggeredBy   []hcl.Expression
	PreventDestroyRange  hcl.Range
	CreateBeforeDestroys bool // create_before_destroy is set, whatever to
}

// CheckRule is a condition with its message: a precondition, postcondition,
// validation or assertion.
type CheckRule struct {
	Condition    hcl.Expression
	ErrorMessage hcl.Expression
	DeclRange    hcl.Range
}

// Check is a check block. Its scoped data source is in Module.Resources.
type Check struct {
	Name         string
	DataResource *Resource
	Asserts      []*CheckRule
	DeclRange    hcl.Range
}

// Import is an import block of the root module.
type Import struct {
	To hcl.Expression
	// Target is To without the keys; Target.Resource is its zero value if To has
	// errors.
	Target addrs.ConfigResource
	// ID or Identity, the other one is nil.
	ID, Identity      hcl.Expression
	ForEach           hcl.Expression
	ProviderConfigRef *addrs.LocalProviderConfig
	DeclRange         hcl.Range

	steps []addressStep
}

// Moved is a moved block: two traversals, relative to its module.
type Moved struct {
	From, To hcl.Traversal
	// FromAddr and ToAddr are what the traversals mean, both a module call, a
	// resource or an instance, relative to the module.
	FromAddr, ToAddr addrs.Target
	DeclRange        hcl.Range
}

// Removed is a removed block.
type Removed struct {
	// From is what was removed: a resource or a module, without keys.
	From hcl.Traversal
	// FromAddr is what the traversal means, relative to the module.
	FromAddr addrs.Target
	// Destroy is lifecycle.destroy: false forgets the objects. Where the block does
	// not say, Terraform destroys and OpenTofu forgets.
	Destroy   bool
	DeclRange hcl.Range
}
