package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"
)

// Config says what a provider's program serves. Addresses and Provider are
// required.
type Config struct {
	// Addresses are the provider's names in the registries that have it, such as
	// registry.terraform.io/example/zone. Under a debugger it is found by each;
	// log lines have the first.
	Addresses []string
	// Provider builds the provider. Served no more, it is closed.
	Provider func() (provider.Interface, error)
	// Version is what -version prints; empty is what [Version] finds.
	Version string
	// Guard are options of the guard. Without any, the stack of a panic goes to the
	// client's log.
	Guard []guard.Option
	// Unguarded leaves the guard away: the client alone judges the answers.
	Unguarded bool
	// Debug, where it is not nil, makes [Run] serve under a debugger: until the
	// context ends, for every client that attaches, which is told here how. [Main]
	// has the flag -debug for it.
	Debug io.Writer
}

// Run serves the provider. A client has started this process and ends it; where
// none has, the process ends at once and says so. An interrupt does not end it:
// Ctrl-C reaches every process of a terminal, and the client asks to stop with
// an RPC instead. For serving without a client see [Config].Debug.
//
// It sets TF_LOG_SDK and TF_LOG_SDK_PROTO in the process's environment unless a
// variable that begins with TF_LOG is set.
func Run(ctx context.Context, config Config) (err error) {
	if err := config.check(); err != nil {
		return err
	}
	if err := quietProtocolLogs(); err != nil {
		return err
	}
	p, err := config.Provider()
	if err != nil {
		return fmt.Errorf("set the provider up: %w", err)
	}
	if p == nil {
		return errors.New("set the provider up: the function Provider returned neither a provider nor an error")
	}
	if !config.Unguarded {
		p = guard.Wrap(p, append([]guard.Option{guard.LogPanics(clientLog())}, config.Guard...)...)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	served, err := server.New(ctx, p)
	if err != nil {
		return err
	}
	if config.Debug != nil {
		return attended(ctx, config, served)
	}
	return tf6server.Serve(config.Addresses[0], func() tfplugin.ProviderServer { return served })
}

// address is a provider's full name: a client that attaches looks for no other.
var address = regexp.MustCompile(`^[\pL\pN][\pL\pN.:-]*/[\pL\pN_-]+/[\pL\pN_-]+$`)

func (c Config) check() error {
	if c.Provider == nil {
		return errors.New("serve a provider: the function Provider is missing")
	}
	if len(c.Addresses) == 0 {
		return errors.New("serve a provider: it has no address; give it one like registry.terraform.io/example/zone")
	}
	for _, a := range c.Addresses {
		if !address.MatchString(a) {
			return fmt.Errorf("serve a provider: the address %q is not like registry.terraform.io/example/zone: a registry, a namespace, a name", a)
		}
	}
	return nil
}

// quietProtocolLogs switches terraform-plugin-go's own lines off.
func quietProtocolLogs() error {
	for _, kv := range os.Environ() {
		if name, value, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return nil
		}
	}
	return errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off"))
}
