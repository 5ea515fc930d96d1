package serve

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"runtime/debug"
	"strings"
	"syscall"
)

// Main is the main function of a provider's program. It does not return when
// something is wrong: it says so on standard error, and the program ends.
//
// The program has the flags -version, which prints the version, and -debug, which
// serves until interrupted and prints what a client needs to attach. They are
// flags of package flag: a program's own, which it has defined there before, are
// parsed with them and have their values when the provider is built.
func Main(config Config) {
	stderr := os.Stderr // to serve is to replace it, by a stream that ends with the client
	if err := runMain(config); err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: %v\n", config.name(), err) // there is nobody else to tell
		os.Exit(1)
	}
}

func runMain(config Config) error {
	wantDebug := flag.Bool("debug", false, "serve until interrupted, and print how a client attaches")
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

// name is what registries want the program to be called.
func (c Config) name() string {
	if len(c.Addresses) == 0 {
		return path.Base(os.Args[0])
	}
	return "terraform-provider-" + path.Base(c.Addresses[0])
}

// Version is the version of the program: linked, what the linker has set in a
// release, or where that is empty the version of the main module as go install
// knows it, or dev.
func Version(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "dev"
}
