package demo_test

import (
	"os"
	"testing"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/internal/demo"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/serve"
	protoclient "github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// serveEnv makes this test binary serve the provider.
const serveEnv = "DEMO_PROVIDER_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) == "" {
		os.Exit(m.Run())
	}
	serve.Main(serve.Config{Addresses: []string{"registry.terraform.io/example/demo"}, Provider: demo.New})
}

// another is a provider in another process. It adds information that the guard needs and
// the protocol lacks.
type another struct{ *protoclient.Remote }

func (another) MutableIdentity(typeName string) bool { return typeName == "demo_badge" }

// dialled starts the provider in another process and returns a gRPC client of it, wrapped
// by the guard.
func dialled(t *testing.T) provider.Interface {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	remote, err := protoclient.Dial(t.Context(), protoclient.DialConfig{Path: self, Env: append(os.Environ(), serveEnv+"=1")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remote.Close(); err != nil {
			t.Error(err)
		}
	})
	return guard.Wrap(another{remote})
}
