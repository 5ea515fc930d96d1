package serve

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
)

// Main is the main function of a provider's program. On an error it writes to
// standard error and exits with status 1, or 2 for an invalid flag.
//
// The program has the flags -version, which prints the version, and -debug,
// which serves until interrupted and prints how a client attaches. They are
// flags of package flag: flags that the program defines before it calls Main are
// parsed too, before the provider is built.
func Main(config Config) {
	stderr := os.Stderr // serving replaces os.Stderr with a stream to the client
	if err := runMain(config); err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: %v\n", config.name(), err) // the error cannot be reported elsewhere
		os.Exit(1)
	}
}

func runMain(config Config) error {
	wantDebug := flag.Bool("debug", false, "serve until interrupted and print how a client attaches")
	wantVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if *wantVersion {
		_, err := fmt.Fprintln(os.Stdout, config.name(), Version(config.Version))
		return err
	}
	ctx := context.Background()
	if *wantDebug {
		config.Debug = os.Stdout
	}
	if config.Debug != nil {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	return Run(ctx, config)
}

// name returns "terraform-provider-" and the type in the first address, which is the name that
// registries require. Without an address, it returns the file name of the program.
func (c Config) name() string {
	if len(c.Addresses) == 0 {
		return filepath.Base(os.Args[0])
	}
	return "terraform-provider-" + path.Base(c.Addresses[0])
}

// Version returns the version of the program: linked, which the linker sets in
// a release; if that is empty, the version of the main module from the build
// information, without the "v"; else "dev".
func Version(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "dev"
}
