// Command guarddoc writes docs/guard.md, the list of the rules against which
// package guard checks the responses of a provider. "go generate ./guard" runs it.
// Its test fails if the page is out of date.
//
// Elsewhere: package guard has the rules and their texts.
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

Each response of the provider is checked against these rules before it is sent. Where Terraform and OpenTofu, the two engines, differ, the stricter rule
applies; some rules are for mistakes that both accept silently. The summary of a message about a rule starts with "Provider bug:" and ends with
the ID of the rule in parentheses: the code of the provider, not the configuration, broke the rule. Please report the bug.

The documentation of package guard describes what happens to a response that breaks a rule. In short: no object that a create
returns is forgotten, no write-only value is stored, and no message of the guard shows a write-only or sensitive value.

"§" refers to a section of the [collected checks](checks.md): what both engines and both provider SDKs (terraform-plugin-framework and SDKv2)
check in the responses of a provider. Texts in quotes are those of the engine or SDK.
`

// page returns the document, which lists the rules in the given order.
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
		fmt.Fprintf(&b, "\n- Fix: %s\n- Source: %s\n", r.Fix, r.Source)
		if r.Severity == diag.Warning {
			b.WriteString("- A warning: otherwise, the response is not changed.\n")
		}
	}
	return b.String()
}

// calls returns the RPCs of a family of rules, or "all calls" if a rule of the family has no RPC.
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
