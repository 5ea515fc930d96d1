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

// attended serves under a debugger: the process belongs to the person, and goes on
// until the context ends. What go-plugin writes about itself is for a client's
// log and not for a person's terminal.
func attended(ctx context.Context, config Config, server tfplugin.ProviderServer) error {
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

// announce says how a client attaches, in a form that a shell takes.
func (c Config) announce(running *plugin.ReattachConfig) error {
	entries := make(map[string]*plugin.ReattachConfig, len(c.Addresses))
	for _, a := range c.Addresses {
		entries[a] = running
	}
	text, err := reattach.Format(entries)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Debug, "Provider started. A client attaches where this is in its environment:\n\n\tTF_REATTACH_PROVIDERS='%s'\n\nInterrupt to end.\n",
		strings.ReplaceAll(text, "'", `'\''`))
	if err != nil {
		return fmt.Errorf("say how a client attaches: %w", err)
	}
	return nil
}
