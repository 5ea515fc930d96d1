// Command sidebyside measures and runs the three implementations of the resource of package
// sidebyside, and prints the results or writes them to a page.
//
// Elsewhere: package bench/sidebyside runs the resources.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/posixform/terraform-provider-posix/bench/report"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
)

func main() {
	page := flag.String("write", "", "page whose sections are replaced; without it they are printed")
	flag.Parse()
	log.SetOutput(io.Discard) // SDKv2 logs to package log
	if err := run(context.Background(), *page); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, page string) error {
	sections, err := sidebyside.Sections(ctx, "sidebyside")
	if err != nil {
		return err
	}
	for _, s := range sections {
		if page == "" {
			fmt.Println(s.Body)
			continue
		}
		if err := report.Write(page, s.Name, s.Body); err != nil {
			return err
		}
	}
	return nil
}
