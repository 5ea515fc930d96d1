// Command accspeed measures an acceptance test of three steps on the engine in
// this process and on the command line, side by side, and prints a table or
// writes it into a page.
//
// Elsewhere: package bench/accspeed makes the measurements.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/posixform/terraform-provider-posix/bench/accspeed"
	"github.com/posixform/terraform-provider-posix/bench/report"
)

func main() {
	o := accspeed.Options{}
	flag.IntVar(&o.Rounds, "rounds", 5, "number of runs of each test on the command line")
	flag.IntVar(&o.Batch, "batch", 100, "number of tests in this process after each of these runs")
	flag.IntVar(&o.Many, "many", 1000, "number of parallel tests")
	page := flag.String("write", "", "Markdown page whose section is replaced; without it, the table is printed")
	flag.Parse()
	log.SetOutput(io.Discard) // SDKv2 logs to package log
	if err := run(*page, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(page string, o accspeed.Options) (err error) {
	dir, err := os.MkdirTemp("", "accspeed")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	conditions := report.Conditions()
	results, err := accspeed.Measure(dir, accspeed.Cases(), o)
	if err != nil {
		return err
	}
	body := conditions + "\n\n" + accspeed.Table(results)
	if page == "" {
		fmt.Print(body)
		return nil
	}
	return report.Write(page, "acceptance", body)
}
