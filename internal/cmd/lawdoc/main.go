// Command lawdoc writes docs/conformance.md, the list of the laws that package
// conformance checks. "go generate ./acctest/conformance" runs it. Its test fails if the
// page is out of date.
//
// Elsewhere: package conformance has the laws and their texts.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
)

func main() {
	out := flag.String("o", filepath.Join("docs", "conformance.md"), "the file to write")
	flag.Parse()
	if err := os.WriteFile(*out, []byte(page(conformance.Laws())), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "lawdoc:", err)
		os.Exit(1)
	}
}

const intro = "# The laws of conformance\n" + `
<!-- Written by internal/cmd/lawdoc from conformance.Laws(). Do not edit; run: go generate ./acctest/conformance -->

[conformance.Conformance](testing.md#conformance) checks these laws with random configurations of a provider's resource types. A report
has the ID of the broken law. ` + "`Options.Waive`" + ` has the IDs of laws not to check, with the reasons.
`

// page returns the document, which lists the laws in the given order.
func page(laws []conformance.Law) string {
	var b strings.Builder
	b.WriteString(intro)
	fmt.Fprintf(&b, "\nThere are %d laws, roughly in the order in which a case checks them.\n\n| ID | law | why it matters |\n|---|---|---|\n", len(laws))
	for _, l := range laws {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", l.ID, l.Text, l.Why)
	}
	return b.String()
}
