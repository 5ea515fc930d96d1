package configs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Config is a module in the tree of modules, with the modules that it calls.
type Config struct {
	Path     addrs.Module
	Module   *Module
	Parent   *Config
	Children map[string]*Config
	// Base is the directory on disk that relative paths of modules and functions start
	// from; "" is the working directory. It is the same in the whole tree.
	Base string
	// Files are all parsed files by name, for messages with source lines. They are the
	// same in the whole tree.
	Files map[string]*hcl.File
}

// Descendant returns the module at the path below c, or nil.
func (c *Config) Descendant(path addrs.Module) *Config {
	for _, name := range path {
		if c = c.Children[name]; c == nil {
			return nil
		}
	}
	return c
}

// Module has the declarations in the files of one directory.
type Module struct {
	// Dir is the directory in the Source, or an absolute path.
	Dir string

	// RequiredProviders maps local names to provider addresses, including names that
	// are used without a requirement.
	RequiredProviders map[string]addrs.Provider
	// ProviderConfigs are the provider blocks by "name" or "name.alias".
	ProviderConfigs map[string]*ProviderConfig
	// Aliases are the configurations that callers must pass (configuration_aliases).
	Aliases []addrs.LocalProviderConfig
	// ProviderMetas are the provider_meta blocks by local name.
	ProviderMetas map[string]hcl.Body

	Variables   map[string]*Variable
	Locals      map[string]*Local
	Outputs     map[string]*Output
	ModuleCalls map[string]*ModuleCall
	// Resources are the resource, data, ephemeral and list blocks, including those in
	// check blocks.
	Resources map[addrs.Resource]*Resource
	// Actions are the action blocks.
	Actions map[addrs.Resource]*Resource
	Checks  map[string]*Check
	Imports []*Import
	Moved   []*Moved
	Removed []*Removed

	opts Options
	// explicit has the names of RequiredProviders that the module requires.
	explicit map[string]bool
}

// ProviderConfig is a provider block.
type ProviderConfig struct {
	Name, Alias string
	Config      hcl.Body
	DeclRange   hcl.Range

	// empty is set for blocks without content: in child modules these only declare a
	// name for a passed configuration.
	empty bool
}

// Variable is a variable block.
type Variable struct {
	Name        string
	Description string
	// Type is the type constraint, with optional attributes; cty.DynamicPseudoType if
	// there is none. Typed is set if there is a constraint.
	Type  cty.Type
	Typed bool
	// Defaults are the defaults of optional attributes, or nil.
	Defaults *TypeDefaults
	// Default is cty.NilVal for a required variable.
	Default     cty.Value
	Sensitive   bool
	Ephemeral   bool
	Nullable    bool
	Deprecated  string // the message, or "" if the variable is not deprecated
	Validations []*CheckRule
	DeclRange   hcl.Range
}

// Local is a local value, declared in a locals block.
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
	Deprecated    string // the message, or "" if the output is not deprecated
	DependsOn     []hcl.Traversal
	Preconditions []*CheckRule
	DeclRange     hcl.Range
}

// ModuleCall is a module block. The called module is the child of the same name in the
// Config.
type ModuleCall struct {
	Name   string
	Source string
	Config hcl.Body // the arguments of the child's variables
	// Arguments are the attributes of Config that the child has variables for.
	Arguments      hcl.Attributes
	Count, ForEach hcl.Expression
	Enabled        hcl.Expression // the enabled argument of the lifecycle block, in OpenTofu
	DependsOn      []hcl.Traversal
	// Providers maps the child's configurations to the caller's; nil passes the default
	// configurations.
	Providers   map[addrs.LocalProviderConfig]addrs.LocalProviderConfig
	DeclRange   hcl.Range
	SourceRange hcl.Range

	// passedAt has the source range of each key of Providers.
	passedAt map[addrs.LocalProviderConfig]hcl.Range
}

// Resource is a resource, data, ephemeral, list or action block.
type Resource struct {
	Addr           addrs.Resource
	Config         hcl.Body // the part that the type's schema describes
	Count, ForEach hcl.Expression
	Enabled        hcl.Expression // the enabled argument of the lifecycle block, in OpenTofu
	// ProviderConfigRef is the provider argument, or the configuration implied by the
	// type.
	ProviderConfigRef addrs.LocalProviderConfig
	DependsOn         []hcl.Traversal
	Preconditions     []*CheckRule
	Postconditions    []*CheckRule
	Managed           ManagedResource
	List              ListResource
	// InCheck is the name of the check block that contains the data source, or "".
	InCheck   string
	DeclRange hcl.Range
	TypeRange hcl.Range

	// hasProvider is set if the block has a provider argument.
	hasProvider bool
}

// ManagedResource is the lifecycle of a resource block.
type ManagedResource struct {
	CreateBeforeDestroy bool
	// PreventDestroy is nil if it is not set. In Terraform, it is a constant, and nil if it is
	// false.
	PreventDestroy     hcl.Expression
	IgnoreChanges      []hcl.Traversal
	IgnoreAllChanges   bool
	ReplaceTriggeredBy []hcl.Expression
	ActionTriggers     []*ActionTrigger
}

// ActionTrigger is an action_trigger block.
type ActionTrigger struct {
	// Events has some of before_create, after_create, before_update and after_update.
	Events    []string
	Condition hcl.Expression // nil if there is none
	Actions   []ActionReference
}

// ActionReference is a reference to an instance of an action block of the same module.
type ActionReference struct {
	Action addrs.ResourceInstance
	Range  hcl.Range
}

// ListResource has the arguments of a list block. They are nil if they are not set.
type ListResource struct {
	IncludeResource, Limit hcl.Expression
}

// CheckRule is a condition with its message: a precondition, postcondition, validation
// or assertion.
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
	// Target is To without keys. Its Resource is zero if To has errors.
	Target addrs.ConfigResource
	// ID or Identity is set, and the other one is nil.
	ID, Identity      hcl.Expression
	ForEach           hcl.Expression
	ProviderConfigRef *addrs.LocalProviderConfig
	DeclRange         hcl.Range

	steps []addressStep
}

// Moved is a moved block with two traversals relative to its module.
type Moved struct {
	From, To hcl.Traversal
	// FromAddr and ToAddr are the parsed traversals, relative to the module: either two
	// modules, or two resources or resource instances.
	FromAddr, ToAddr addrs.Target
	DeclRange        hcl.Range
}

// Removed is a removed block.
type Removed struct {
	// From is the removed resource or module, without keys.
	From hcl.Traversal
	// FromAddr is the parsed From, relative to the module.
	FromAddr addrs.Target
	// Destroy is lifecycle.destroy; false forgets the objects. By default, Terraform
	// destroys and OpenTofu forgets.
	Destroy   bool
	DeclRange hcl.Range
}
