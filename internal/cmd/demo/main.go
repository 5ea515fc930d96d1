package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	provider := flag.String("provider", "bin", "directory of the built provider")
	example := flag.String("example", "examples/quickstart", "directory of the configuration")
	keep := flag.Bool("keep", false, "keep the temporary directory")
	recorded := flag.String("recorded", "", "file with the plan that step 2 must print")
	update := flag.Bool("update", false, "write the plan of step 2 to the file of -recorded")
	flag.Parse()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()

	begin := time.Now()
	finder := tfcli.FromEnvironment()
	finder.Old = true
	cli, _, err := finder.Find(ctx)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "posix-demo-")
	if err != nil {
		return err
	}
	if !*keep {
		defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	}
	d, err := prepare(cli, scratch, *provider, *example)
	if err != nil {
		return err
	}
	d.recorded, d.update = *recorded, *update
	fmt.Printf("%s with this provider, in %s\n", cli, scratch)
	for i, step := range d.steps() {
		if err := step.do(ctx, step.title(i+1)); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, step.name, err)
		}
	}
	fmt.Printf("\ndemo: all %d steps passed in %.1f s\n", len(d.steps()), time.Since(begin).Seconds())
	return nil
}

// prepare creates two directories below scratch: config for the configuration and the
// state, files for the managed files. It writes a CLI configuration file that overrides the
// provider, and copies main.tf of the example.
func prepare(cli tfcli.CLI, scratch, provider, example string) (*demo, error) {
	provider, err := filepath.Abs(provider)
	if err != nil {
		return nil, err
	}
	d := &demo{
		cli:     cli,
		config:  filepath.Join(scratch, "config"),
		files:   filepath.Join(scratch, "files"),
		rc:      filepath.Join(scratch, "cli.tfrc"),
		example: example,
	}
	overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"posixform/posix\" = %q\n  }\n}\n", provider)
	err = errors.Join(
		os.Mkdir(d.config, 0o700),
		os.Mkdir(d.files, 0o755),
		os.WriteFile(d.rc, []byte(overrides), 0o600),
		d.addConfig("main.tf"),
	)
	return d, err
}
