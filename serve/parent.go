package serve

import (
	"os"
	"os/signal"
	"syscall"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// serveParent serves until the client, which is the parent process, shuts down the server or
// ends. go-plugin does not detect the end of a client that is killed.
func serveParent(config Config, server tfplugin.ProviderServer) error {
	protocol := config.Protocol
	if protocol == nil {
		protocol = protocol6
	}
	if clientEnded() {
		return nil
	}
	ended := parentEnded()
	// The output of this process goes to pipes, whose other ends close when the client ends. With a handler
	// for SIGPIPE, a write to them is then an error and does not kill this process. SIGTERM and SIGHUP often reach
	// every process of a service, a process group or a terminal: like an interrupt, which
	// go-plugin handles, they are requests to the client, which waits for the end of the running
	// operations or ends. Unlike an ignored signal, a handled one is not inherited by commands.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGHUP)
	served := make(chan error, 1)
	go func() { served <- protocol(config.Addresses[0], server) }()
	select {
	case err := <-served:
		return err
	case <-ended:
		removeSocket()
		return nil
	}
}

func protocol6(address string, server tfplugin.ProviderServer) error {
	return tf6server.Serve(address, func() tfplugin.ProviderServer { return server })
}
