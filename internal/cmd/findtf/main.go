package main

import (
	"context"
	"fmt"
	"os"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

func main() {
	found, rejected, err := tfcli.FromEnvironment().Find(context.Background())
	for _, r := range rejected {
		fmt.Fprintln(os.Stderr, r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "using %s: %s\n", found.Path, found)
	fmt.Println(found.Path)
}
