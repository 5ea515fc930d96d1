package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/tfprotov6/reattach"
)

// serveDebug serves until the context is done, for clients that attach. The log of
// go-plugin is meant for a client and is discarded.
func serveDebug(ctx context.Context, config Config, server tfplugin.ProviderServer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	started, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- tf6server.Serve(config.Addresses[0], func() tfplugin.ProviderServer { return server },
			tf6server.WithDebug(ctx, started, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	select {
	case running := <-started:
		if err := config.announce(running); err != nil {
			stop()
			return errors.Join(err, <-served)
		}
	case err := <-served:
		return errors.Join(errors.New("the server ended before it was ready"), err)
	}
	return <-served
}

// announce writes TF_REATTACH_PROVIDERS, quoted for a shell, to c.Debug.
func (c Config) announce(running *plugin.ReattachConfig) error {
	entries := make(map[string]*plugin.ReattachConfig, len(c.Addresses))
	for _, a := range c.Addresses {
		entries[a] = running
	}
	text, err := reattach.Format(entries)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Debug, "Provider started. To attach a client, set in its environment:\n\n\tTF_REATTACH_PROVIDERS='%s'\n\nPress Ctrl-C to stop.\n",
		strings.ReplaceAll(text, "'", `'\''`))
	if err != nil {
		return fmt.Errorf("write TF_REATTACH_PROVIDERS: %w", err)
	}
	return nil
}
