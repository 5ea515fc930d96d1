package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	in := flag.String("in", "", "file with the text of the plan")
	out := flag.String("out", "", "file to write")
	command := flag.String("command", "", "command to show above the plan")
	flag.Parse()
	if err := run(*in, *out, *command); err != nil {
		fmt.Fprintln(os.Stderr, "plansvg:", err)
		os.Exit(1)
	}
}

func run(in, out, command string) error {
	plan, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	return os.WriteFile(out, []byte(render(command, string(plan))), 0o600)
}
