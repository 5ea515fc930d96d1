package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package p

// Thing is one.
// It has two lines.
//
// And a list:
//   - first
//   - second
type Thing struct {
	// Name tells it apart.
	Name string
	Quiet bool
	// hidden is nobody's business.
	hidden int
}
`

func TestGenerate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, []string{"Thing"}, false); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, outputName))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"Thing":      "Thing is one. It has two lines.\n\nAnd a list:\n- first\n- second",`,
		`"Thing.Name": "Name tells it apart.",`,
		"func (*Thing) Descriptions() map[string]string",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the file lacks %s:\n%s", want, got)
		}
	}
	for _, never := range []string{"hidden", "Quiet"} {
		if strings.Contains(string(got), never) {
			t.Errorf("the file has %s", never)
		}
	}
	if err := run(dir, []string{"Thing"}, true); err != nil {
		t.Errorf("what was just written is stale: %v", err)
	}
	changed := strings.Replace(source, "tells it apart", "is its name", 1)
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, []string{"Thing"}, true); err == nil {
		t.Error("a changed comment leaves the file fresh")
	}
	if err := run(dir, []string{"Other"}, false); err == nil {
		t.Error("a type that does not exist has descriptions")
	}
}
