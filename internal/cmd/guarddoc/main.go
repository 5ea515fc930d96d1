package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
)

func main() {
	out := flag.String("o", filepath.Join("docs", "guard.md"), "the file to write")
	flag.Parse()
	if err := os.WriteFile(*out, []byte(page(guard.Rules())), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "guarddoc:", err)
		os.Exit(1)
	}
}

const intro = `# The rules of the guard

<!-- Written by internal/cmd/guarddoc from guard.Rules(). Do not edit; run: go generate ./guard -->

Each answer of the provider is judged by these rules before it leaves, the stricter of Terraform and OpenTofu in each case,
and some more for what both would accept and lose. A message about a rule begins with "Provider bug:" and ends with the
rule's id: it is the provider's code that broke the rule, not the configuration. Please report it.

What happens to an answer that breaks a rule is said in the documentation of package guard. In short: nothing that was made
is forgotten, and nothing that is write-only or sensitive is stored or shown.

"§" is a section of the [collected checks](checks.md) that this project started from: what both engines and both provider SDKs check in
a provider's answers, as their source code has it. In quotes is what the engine says itself.
`

// page is the whole document.
func page(rules []guard.Rule) string {
	var b strings.Builder
	b.WriteString(intro)
	fmt.Fprintf(&b, "\nThere are %d rules.\n", len(rules))
	family := ""
	for _, r := range rules {
		if f, _, _ := strings.Cut(string(r.ID), "-"); f != family {
			family = f
			fmt.Fprintf(&b, "\n## %s: %s\n", family, calls(rules, family))
		}
		fmt.Fprintf(&b, "\n### %s: %s %s\n\n%s\n", r.ID, r.Subject, r.Title, r.Why)
		fmt.Fprintf(&b, "\n- To change: %s\n- Source: %s\n", r.Fix, r.Source)
		if r.Severity == diag.Warning {
			b.WriteString("- A warning: the answer stays as it is.\n")
		}
	}
	return b.String()
}

// calls are those whose answers a family of rules is about.
func calls(rules []guard.Rule, family string) string {
	var names []string
	for _, r := range rules {
		if strings.HasPrefix(string(r.ID), family+"-") && !slices.Contains(names, r.RPC) {
			names = append(names, r.RPC)
		}
	}
	if slices.Contains(names, "") {
		return "all calls"
	}
	return strings.Join(names, ", ")
}
