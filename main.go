package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// addresses are the names of this provider in the two registries. The first is
// the one that log lines name.
func addresses() []string {
	return []string{"registry.terraform.io/posixform/posix", "registry.opentofu.org/posixform/posix"}
}

// version is set by the linker in a release.
var version string

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-posix:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	wantDebug := flag.Bool("debug", false, "serve until interrupted, and print how a client attaches")
	wantVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if *wantVersion {
		fmt.Println("terraform-provider-posix", buildVersion())
		return nil
	}
	if err := quietProtocolLogs(); err != nil {
		return err
	}

	posix, err := resources.New(buildVersion())
	if err != nil {
		return fmt.Errorf("set the provider up: %w", err)
	}
	server, err := tfprotov6.NewServer(ctx, guard.Wrap(posix))
	if err != nil {
		return errors.Join(fmt.Errorf("set the server up: %w", err), posix.Close())
	}
	if *wantDebug {
		err = serveDebug(ctx, server)
	} else {
		// Ctrl-C reaches every process of the terminal; go-plugin ignores it, and
		// the client asks to stop with an RPC instead.
		err = tf6server.Serve(addresses()[0], func() tfplugin.ProviderServer { return server })
	}
	return errors.Join(err, posix.Close())
}

// buildVersion is the release's version, or that of the module which was built.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "dev"
}

// quietProtocolLogs switches off the lines that terraform-plugin-go writes about
// every call, which cost as much as the call, unless logs were asked for with
// any TF_LOG… variable.
func quietProtocolLogs() error {
	for _, kv := range os.Environ() {
		if name, value, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return nil
		}
	}
	return errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off"))
}
