// Command plansvg renders the text of a plan as an SVG image: white text of fixed
// width on a dark background, with the symbols +, - and ~ of changed lines in colour.
//
// "make generate" runs it on the plan that the demo records, for README.md. The same
// text gives the same image, so that "make test" detects a stale one without running
// OpenTofu.
//
// Elsewhere: internal/cmd/demo records the plan and checks the record.
package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"strings"
	"unicode/utf8"
)

//go:generate go run . -command "tofu plan" -in ../demo/testdata/drift.txt -out ../../../docs/images/drift.svg

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

// Sizes in pixels, and the number of columns at which lines are wrapped, as in a terminal.
const (
	columns    = 100
	charWidth  = 8 // of a character at fontSize in the widest of the fonts
	fontSize   = 13
	lineHeight = 19
	margin     = 16
)

// colors of the symbols in front of changed lines.
var colors = map[string]string{"+": "#3fb950", "-": "#f85149", "~": "#d29922"}

// render returns an SVG image of a command and, below it, the plan that it printed.
func render(command, plan string) string {
	lines := []string{`<tspan fill="#8b949e">$</tspan> ` + html.EscapeString(command), ""}
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "Plan:") {
			lines = append(lines, "")
		}
		first, rest := cut(line)
		lines = append(lines, colored(first))
		for rest != "" {
			first, rest = cut(rest)
			lines = append(lines, html.EscapeString(first))
		}
	}
	width, height := columns*charWidth+2*margin, len(lines)*lineHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>Output of %s</title>\n", html.EscapeString(command))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace" font-size="%d" fill="#e6edf3">`+"\n", fontSize)
	for i, line := range lines {
		if line != "" {
			fmt.Fprintf(&b, `<text xml:space="preserve" x="%d" y="%d">%s</text>`+"\n", margin, margin+i*lineHeight+fontSize, line)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// cut splits a line after the number of characters that fit into the width of the image.
func cut(line string) (first, rest string) {
	if utf8.RuneCountInString(line) <= columns {
		return line, ""
	}
	runes := []rune(line)
	return string(runes[:columns]), string(runes[columns:])
}

// colored returns the markup of a line: the symbol of a changed line in its colour, a comment
// with the address of a resource and the totals in bold, and a comment in parentheses, such
// as the number of hidden attributes, in grey.
func colored(line string) string {
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	symbol, rest, _ := strings.Cut(text, " ")
	switch color, isChange := colors[symbol]; {
	case isChange:
		return fmt.Sprintf(`%s<tspan fill=%q>%s</tspan> %s`, indent, color, symbol, html.EscapeString(rest))
	case strings.HasPrefix(text, "# ("):
		return fmt.Sprintf(`%s<tspan fill="#8b949e">%s</tspan>`, indent, html.EscapeString(text))
	case symbol == "#", strings.HasPrefix(text, "Plan:"):
		return fmt.Sprintf(`%s<tspan font-weight="bold">%s</tspan>`, indent, html.EscapeString(text))
	}
	return html.EscapeString(line)
}
