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
