package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/hashicorp/go-hclog"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"
)

// Config configures a provider's program. Addresses and Provider are required.
type Config struct {
	// Addresses are the source addresses of the provider, such as
	// registry.terraform.io/example/zone. With Debug, clients can attach to each
	// of them; log lines contain the first one.
	Addresses []string
	// Provider creates the provider, which is closed when serving ends.
	Provider func() (provider.Interface, error)
	// Mux, if not nil, returns the server to serve. It gets the server of Provider, to
	// combine it with that of another library, for example with NewMuxServer of
	// terraform-plugin-mux. The guard checks the responses of Provider only.
	Mux func(ctx context.Context, server tfplugin.ProviderServer) (tfplugin.ProviderServer, error)
	// Protocol, if not nil, serves the server with a version of the plugin protocol other than
	// 6, such as the function Serve of package protocol5. With Debug, the version is always 6.
	Protocol func(address string, server tfplugin.ProviderServer) error
	// Version is printed by -version. If empty, it is determined by [Version].
	Version string
	// Guard has options for the guard. By default, stack traces of panics are
	// written to the client's log or, with Debug, to standard error.
	Guard []guard.Option
	// Unguarded disables the guard: only the client checks responses.
	Unguarded bool
	// Debug, if not nil, makes [Run] serve for clients that attach, until the
	// context is done. Run writes the value of TF_REATTACH_PROVIDERS to it. [Main]
	// sets it for the flag -debug.
	Debug io.Writer
}

// Run serves the provider to the client that started this process, until the client
// ends it. Run returns an error if the configuration is invalid, or if the provider
// cannot be created, served or closed. If the client is killed, Run closes the
// provider, which cancels running operations, and returns. Without such a client, the
// process prints an explanation and exits. Run ignores interrupts, SIGTERM and SIGHUP:
// they often reach every process of a terminal or a service, and the client requests a
// stop with an RPC. To serve for other clients, set [Config].Debug.
//
// Run sets the environment variables TF_LOG_SDK and TF_LOG_SDK_PROTO of this
// process to "off" unless a variable whose name starts with TF_LOG is set and not empty.
func Run(ctx context.Context, config Config) (err error) {
	if err := config.check(); err != nil {
		return err
	}
	if err := disableProtocolLogs(); err != nil {
		return err
	}
	p, err := config.Provider()
	if err != nil {
		return fmt.Errorf("create the provider: %w", err)
	}
	if p == nil {
		return errors.New("create the provider: Config.Provider returned neither a provider nor an error")
	}
	if !config.Unguarded {
		p = guard.Wrap(p, append([]guard.Option{guard.LogPanics(clientLog())}, config.Guard...)...)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	served, err := config.server(ctx, p)
	if err != nil {
		return err
	}
	if config.Debug != nil {
		return serveDebug(ctx, config, served)
	}
	return serveParent(config, served)
}

// server returns the server of the provider, or the one that Mux returns for it.
func (c Config) server(ctx context.Context, p provider.Interface) (tfplugin.ProviderServer, error) {
	served, err := server.New(ctx, p)
	if err != nil || c.Mux == nil {
		return served, err
	}
	muxed, err := c.Mux(ctx, served)
	switch {
	case err != nil:
		return nil, fmt.Errorf("mux the provider: %w", err)
	case muxed == nil:
		return nil, errors.New("mux the provider: Config.Mux returned neither a server nor an error")
	}
	return muxed, nil
}

// address matches a full source address. Terraform and OpenTofu complete a shorter one with different hosts.
var address = regexp.MustCompile(`^[\pL\pN][\pL\pN.:-]*/[\pL\pN_-]+/[\pL\pN_-]+$`)

func (c Config) check() error {
	if c.Provider == nil {
		return errors.New("serve a provider: Config.Provider is not set")
	}
	if len(c.Addresses) == 0 {
		return errors.New("serve a provider: Config.Addresses is empty; add an address such as registry.terraform.io/example/zone")
	}
	for _, a := range c.Addresses {
		if !address.MatchString(a) {
			return fmt.Errorf("serve a provider: invalid address %q, expected HOST/NAMESPACE/NAME such as registry.terraform.io/example/zone", a)
		}
	}
	return nil
}

// disableProtocolLogs disables the log lines of terraform-plugin-go unless a
// TF_LOG variable is set and not empty.
func disableProtocolLogs() error {
	for _, kv := range os.Environ() {
		if name, value, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return nil
		}
	}
	return errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off"))
}

// clientLog returns a logger whose lines a client adds to its log with their
// level. It writes to the standard error that the process was started with.
func clientLog() *slog.Logger {
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) > 0 {
				return a
			}
			switch a.Key {
			case slog.TimeKey:
				// If the time has a different format, such as that of slog, go-plugin ignores the level of the line.
				return slog.String("@timestamp", a.Value.Time().Format(hclog.TimeFormatJSON))
			case slog.LevelKey:
				return slog.String("@level", strings.ToLower(a.Value.String()))
			case slog.MessageKey:
				a.Key = "@message"
			}
			return a
		},
	}))
}
