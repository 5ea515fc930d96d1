// Command findtf prints the path of the OpenTofu or Terraform command for tests and
// the demo. On standard error it prints the version and the rejected candidates. If
// there is no such command, it exits with 3, so that make builds one; after any
// other error of the search it exits with 1.
//
// Elsewhere: package tfcli has the rules; make builds the command.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

func main() {
	finder := tfcli.FromEnvironment()
	flag.BoolVar(&finder.Old, "old", false, "accept a version from 1.8 on in "+tfcli.EnvOverride)
	flag.Parse()
	found, rejected, err := finder.Find(context.Background())
	for _, r := range rejected {
		fmt.Fprintln(os.Stderr, r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, tfcli.ErrNotFound) {
			os.Exit(3)
		}
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "using %s: %s\n", found.Path, found)
	fmt.Println(found.Path)
}
