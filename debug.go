package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/hashicorp/go-plugin"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// reattach is how TF_REATTACH_PROVIDERS describes a running provider.
type reattach struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool
	Addr            reattachAddr
}

type reattachAddr struct {
	Network string
	String  string
}

// serveDebug serves under a debugger: the process belongs to the person, is
// found under the provider's addresses in both registries, and ends with an
// interrupt.
func serveDebug(ctx context.Context, server tfplugin.ProviderServer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	started := make(chan *plugin.ReattachConfig)
	closed := make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- tf6server.Serve(addresses()[0],
			func() tfplugin.ProviderServer { return server },
			tf6server.WithDebug(ctx, started, closed))
	}()

	select {
	case config := <-started:
		text, err := reattachText(config)
		if err != nil {
			return err
		}
		fmt.Printf("Provider started. A client attaches where this is in its environment:\n\n\tTF_REATTACH_PROVIDERS='%s'\n\nInterrupt to end.\n", text)
	case err := <-served:
		return errors.Join(errors.New("the server ended before it was ready"), err)
	}
	<-closed
	return <-served
}

// reattachText is the value of TF_REATTACH_PROVIDERS. It can stand between
// single quotes.
func reattachText(config *plugin.ReattachConfig) (string, error) {
	entries := make(map[string]reattach)
	for _, address := range addresses() {
		entries[address] = reattach{
			Protocol:        string(config.Protocol),
			ProtocolVersion: config.ProtocolVersion,
			Pid:             config.Pid,
			Test:            config.Test,
			Addr:            reattachAddr{Network: config.Addr.Network(), String: config.Addr.String()},
		}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return "", fmt.Errorf("describe the running server: %w", err)
	}
	return strings.ReplaceAll(string(text), "'", `'\''`), nil
}
