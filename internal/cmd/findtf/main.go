package main

import (
	"context"
	"errors"
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
		if errors.Is(err, tfcli.ErrNotFound) {
			os.Exit(3)
		}
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "using %s: %s\n", found.Path, found)
	fmt.Println(found.Path)
}
