package protocol5_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"
	"github.com/posixform/terraform-provider-posix/serve/protocol5"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// role is an environment variable that makes the test binary a provider's program.
const role = "PROTOCOL5_TEST_ROLE"

func TestMain(m *testing.M) {
	types := map[string]runtime.DataSourceRegistration{"disk": runtime.MakeDataSource[Disk, *Disk, runtime.NoConfig]()}
	stores := map[string]runtime.StateStoreRegistration{}
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "nested":
		types["nested"] = runtime.MakeDataSource[Nested, *Nested, runtime.NoConfig]()
	case "store":
		stores["vault"] = runtime.MakeStateStore[Vault, runtime.NoConfig]()
	}
	serve.Main(serve.Config{
		Addresses: []string{"registry.terraform.io/example/shape"},
		Provider: func() (provider.Interface, error) {
			return runtime.New(runtime.Definition{Name: "shape", DataSources: types, StateStores: stores})
		},
		Protocol: protocol5.Serve,
	})
}

// Disk is a data source with blocks.
type Disk struct {
	Name string
	Part []Part `tf:",block"`
}

// Nested is a data source with a nested attribute.
type Nested struct{ Parts []Part }

// Vault is a state store. Its methods are not called.
type Vault struct {
	runtime.TypedStateStore[runtime.NoConfig] `tf:"-"`
}

// Part is a part of a disk.
type Part struct{ Size int }

// Read returns the configuration.
func (d *Disk) Read(context.Context, runtime.NoConfig) (*Disk, error) { return d, nil }

// Read returns the configuration.
func (n *Nested) Read(context.Context, runtime.NoConfig) (*Nested, error) { return n, nil }

// TestServe checks that a program serves protocol 5, and no other, with the responses and
// capabilities of its provider.
func TestServe(t *testing.T) {
	t.Parallel()
	remote, err := client.Dial(t.Context(), client.DialConfig{Path: program(t), Env: []string{role + "=blocks"}})
	if err != nil {
		t.Fatal(err)
	}
	config := cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal("root"),
		"part": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"size": cty.NumberIntVal(3)})}),
	})
	got := remote.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{TypeName: "shape_disk", Config: config})
	if err := got.Diagnostics.Err(); err != nil || !got.State.RawEquals(config) {
		t.Errorf("got error %v and state %#v, want no error and state %#v", err, got.State, config)
	}
	capabilities := remote.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ServerCapabilities
	if want := (provider.ServerCapabilities{GetProviderSchemaOptional: true, MoveResourceState: true, GenerateResourceConfig: true}); capabilities != want {
		t.Errorf("got capabilities %+v, want %+v", capabilities, want)
	}
	if err := remote.Close(); err != nil {
		t.Error(err)
	}
	cmd := exec.CommandContext(t.Context(), program(t))
	// The process is killed, because it has no client that ends it, and leaves its socket behind.
	cmd.Env = []string{role + "=blocks", "TMPDIR=" + t.TempDir(), "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2", "PLUGIN_PROTOCOL_VERSIONS=6"}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "1|5|") {
		t.Errorf("the program prints %q with error %v, want a line for protocol 5", line, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestNestedAttribute checks that a program whose schema needs protocol 6 prints why it does not start.
func TestNestedAttribute(t *testing.T) {
	t.Parallel()
	_, err := client.Dial(t.Context(), client.DialConfig{Path: program(t), Env: []string{role + "=nested"}})
	if err == nil || !strings.Contains(err.Error(), `"shape_nested"`) || !strings.Contains(err.Error(), `"parts"`) || !strings.Contains(err.Error(), "tag option block") {
		t.Errorf("got error %v, want one with the data source shape_nested, its attribute parts and the tag option block", err)
	}
}

// TestStateStore checks that a program with a state store, which protocol 5 would drop, prints why it
// does not start.
func TestStateStore(t *testing.T) {
	t.Parallel()
	_, err := client.Dial(t.Context(), client.DialConfig{Path: program(t), Env: []string{role + "=store"}})
	if err == nil || !strings.Contains(err.Error(), `no state stores: the provider has the state store "shape_vault"`) {
		t.Errorf("got error %v, want one that names the state store shape_vault", err)
	}
}

func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}
