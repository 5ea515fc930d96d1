package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown returns the text of each line of an image, and the colour or weight of its tspan.
func shown(t *testing.T, image string) (lines, fills []string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(image))
	inText := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return lines, fills
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "text":
				inText = true
				lines, fills = append(lines, ""), append(fills, "")
			case "tspan":
				for _, a := range token.Attr {
					fills[len(fills)-1] += a.Value
				}
			}
		case xml.EndElement:
			inText = inText && token.Name.Local != "text"
		case xml.CharData:
			if inText {
				lines[len(lines)-1] += string(token)
			}
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", columns) + "é"
	plan := strings.Join([]string{
		"  # posix_file.index will be updated in-place",
		`  ~ resource "posix_file" "index" {`,
		"          - <h1>a & b</h1>",
		"          + <h1>hello</h1>",
		"            <p>as it was</p>",
		"        # (7 unchanged attributes hidden)",
		long,
		"Plan: 0 to add, 1 to change, 0 to destroy.",
	}, "\n") + "\n"
	lines, fills := shown(t, render("tofu plan", plan))
	want := []string{
		"$ tofu plan", "  # posix_file.index will be updated in-place", `  ~ resource "posix_file" "index" {`, "          - <h1>a & b</h1>",
		"          + <h1>hello</h1>", "            <p>as it was</p>", "        # (7 unchanged attributes hidden)",
		long[:columns], "é", "Plan: 0 to add, 1 to change, 0 to destroy.",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	wantFills := []string{"#8b949e", "bold", colors["~"], colors["-"], colors["+"], "", "#8b949e", "", "", "bold"}
	if diff := cmp.Diff(wantFills, fills); diff != "" {
		t.Errorf("colours and weights (-want +got):\n%s", diff)
	}
}
