package runtime_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Account is the resource of the examples about identity, import and stored
// states. The accounts are stored in the map accounts.
type Account struct {
	Name string
	Home string
}

type AccountOutput struct {
	Name string
	Home string
	UID  int64
}

// AccountID identifies an account.
type AccountID struct {
	Name string
	Host *string // optional for import, and filled in by the provider
}

var accounts = map[string]AccountOutput{"root": {"root", "/root", 0}}

func (*Account) SchemaVersion() int      { return 1 }
func (*Account) ReplaceFields() []string { return []string{"name"} }

func (a *Account) Create(context.Context, runtime.NoConfig) (*AccountOutput, error) {
	out := AccountOutput{a.Name, a.Home, int64(1000 + len(accounts))}
	accounts[a.Name] = out
	return &out, nil
}

func (*Account) Read(_ context.Context, _ runtime.NoConfig, prior *AccountOutput) (*AccountOutput, error) {
	out, ok := accounts[prior.Name]
	if !ok {
		return nil, runtime.ErrNotFound
	}
	return &out, nil
}

func (a *Account) Update(_ context.Context, _ runtime.NoConfig, prior runtime.Prior[Account, *AccountOutput]) (*AccountOutput, error) {
	out := AccountOutput{a.Name, a.Home, prior.Outputs.UID}
	accounts[a.Name] = out
	return &out, nil
}

func (*Account) Delete(_ context.Context, _ runtime.NoConfig, prior *AccountOutput) error {
	delete(accounts, prior.Name)
	return nil
}

// ModifyResourcePlan plans that the uid stays the same.
func (*Account) ModifyResourcePlan(runtime.ResourcePlanRequest[Account, *AccountOutput, runtime.NoConfig], *runtime.ResourcePlanResponse) error {
	return nil
}

// Identity sets every attribute, including the optional one.
func (*Account) Identity(_ runtime.NoConfig, out *AccountOutput) AccountID {
	host := "local"
	return AccountID{Name: out.Name, Host: &host}
}

// ParseImportID parses name@host.
func (*Account) ParseImportID(id string) (AccountID, error) {
	name, host, ok := strings.Cut(id, "@")
	if !ok {
		return AccountID{}, fmt.Errorf("write it as name@host")
	}
	return AccountID{Name: name, Host: &host}, nil
}

// Import returns the outputs that Read needs to find the account.
func (*Account) Import(_ context.Context, _ runtime.NoConfig, id AccountID) (*AccountOutput, error) {
	return &AccountOutput{Name: id.Name}, nil
}

// MutableIdentity returns true: an account can be renamed on the host.
func (*Account) MutableIdentity() bool { return true }

// IdentityVersion returns the version of the schema of AccountID.
func (*Account) IdentityVersion() int { return 1 }

// IdentityMigrations returns the migration that renames the attribute login to name.
func (*Account) IdentityMigrations() []runtime.Migration {
	type old struct{ Login string }
	type now struct{ Name string }
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, o old) (now, error) { return now{o.Login}, nil }),
	}
}

// Migrations returns the migration that renames the attribute directory to home.
func (*Account) Migrations() []runtime.Migration {
	type old struct{ Directory string }
	type now struct{ Home string }
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, o old) (now, error) { return now{o.Directory}, nil }),
	}
}

// Moves returns the move from the resource type unix_user of another provider.
func (*Account) Moves() []runtime.Move {
	type user struct {
		Username string
		HomeDir  string
	}
	return []runtime.Move{
		runtime.MoveFrom("example/unix", "unix_user", func(_ context.Context, u user) (Account, *AccountOutput, error) {
			return Account{Name: u.Username, Home: u.HomeDir}, &AccountOutput{Name: u.Username, Home: u.HomeDir}, nil
		}),
	}
}

func account() *console {
	return newConsole(runtime.MakeResource[Account, *AccountOutput, runtime.NoConfig]())
}

func ExampleIdentifier() {
	c := account()
	c.apply(attrs{"name": str("ada"), "home": str("/home/ada")})
	display(c.identity)
	// Output:
	// create
	// host = local
	// name = ada
}

func ExampleImporter() {
	c := account()
	c.imports("root@local")
	display(c.state)
	// Output:
	// imported root@local
	// home = /root
	// name = root
	// uid = 0
}

func ExampleImportIDParser() {
	account().imports("root")
	// Output:
	// import ID "root": write it as name@host
}

func ExampleIdentityMutator() {
	// Package guard calls this method before it reports a changed identity as a mistake.
	p, _ := account().p.(interface{ MutableIdentity(typeName string) bool })
	fmt.Println(p.MutableIdentity(consoleType))
	// Output:
	// true
}

func ExampleIdentityVersioner() {
	identities := account().p.GetResourceIdentitySchemas(context.Background(), provider.GetResourceIdentitySchemasRequest{})
	fmt.Println("version", identities.IdentityTypes[consoleType].Version)
	// Output:
	// version 1
}

func ExampleIdentityMigrator() {
	resp := account().p.UpgradeResourceIdentity(context.Background(), provider.UpgradeResourceIdentityRequest{
		TypeName: consoleType, Version: 0, RawIdentityJSON: []byte(`{"login":"ada","host":"local"}`),
	})
	display(resp.UpgradedIdentity)
	// Output:
	// host = local
	// name = ada
}

func ExampleMigrator() {
	c := account()
	c.upgrade(0, `{"name":"ada","directory":"/home/ada","uid":1001}`)
	display(c.state, "home")
	// Output:
	// home = /home/ada
}

func ExampleMover() {
	c := account()
	resp := c.p.MoveResourceState(context.Background(), provider.MoveResourceStateRequest{
		SourceProviderAddress: "registry.example.net/example/unix", SourceTypeName: "unix_user",
		SourceStateJSON: []byte(`{"username":"ada","home_dir":"/home/ada"}`), TargetTypeName: consoleType,
	})
	display(resp.TargetState, "home", "name")
	// Output:
	// home = /home/ada
	// name = ada
}

func ExampleResourcePlanModifier() {
	c := account()
	c.apply(attrs{"name": str("eve"), "home": str("/home/eve")})
	c.apply(attrs{"name": str("eve"), "home": str("/srv/eve")}) // uid stays known
	// Output:
	// create
	// update
}

// Probe is a resource without an identity, so an import starts from the import ID.
type Probe struct{ Target string }

type ProbeOutput struct{ Target string }

func (*Probe) SchemaVersion() int      { return 0 }
func (*Probe) ReplaceFields() []string { return []string{"target"} }

func (p *Probe) Create(context.Context, runtime.NoConfig) (*ProbeOutput, error) {
	return &ProbeOutput{p.Target}, nil
}

func (*Probe) Read(_ context.Context, _ runtime.NoConfig, prior *ProbeOutput) (*ProbeOutput, error) {
	return prior, nil
}

func (p *Probe) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Probe, *ProbeOutput]) (*ProbeOutput, error) {
	return p.Create(ctx, cfg)
}

func (*Probe) Delete(context.Context, runtime.NoConfig, *ProbeOutput) error { return nil }

// ImportByID is the only method that a resource needs for imports in addition to Read.
func (*Probe) ImportByID(_ context.Context, _ runtime.NoConfig, id string) (*ProbeOutput, error) {
	return &ProbeOutput{Target: id}, nil
}

func ExampleIDImporter() {
	c := newConsole(runtime.MakeResource[Probe, *ProbeOutput, runtime.NoConfig]())
	c.imports("example.com")
	display(c.state)
	// Output:
	// imported example.com
	// target = example.com
}
