package lang_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

var update = flag.Bool("update", false, "record the results of the console in testdata/functions.txt")

const (
	tableFile = "testdata/functions.txt"
	baseDir   = "testdata/files"
)

func engine(t *testing.T) tfcli.CLI {
	t.Helper()
	cli, _, err := tfcli.FromEnvironment().Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	return cli
}

// row is one line of the table: EXPRESSION => TYPE JSON, or EXPRESSION => error. expr is "" for
// blank lines and comments.
type row struct{ line, expr, want string }

func table(tb testing.TB) []row {
	tb.Helper()
	raw, err := os.ReadFile(tableFile)
	if err != nil {
		tb.Fatal(err)
	}
	var rows []row
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		expr, want, _ := strings.Cut(line, " => ")
		if line == "" || line[0] == '#' {
			expr = ""
		}
		rows = append(rows, row{line, expr, want})
	}
	return rows
}

func TestFunctionsInProcess(t *testing.T) {
	t.Parallel()
	ctx := &hcl.EvalContext{Functions: lang.Functions(lang.FunctionOptions{BaseDir: baseDir})}
	for _, r := range table(t) {
		if r.expr == "" {
			continue
		}
		if got := evaluate(t, r.expr, ctx); got != r.want {
			t.Errorf("%s\n got %s\nwant %s", r.expr, got, r.want)
		}
	}
}

func evaluate(tb testing.TB, text string, ctx *hcl.EvalContext) string {
	tb.Helper()
	expr, diags := hclsyntax.ParseExpression([]byte(text), "table", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatalf("%s: %s", text, diags)
	}
	v, diags := expr.Value(ctx)
	if diags.HasErrors() {
		return "error"
	}
	encoded, err := stdlib.JSONEncode(v)
	if err != nil || v.ContainsMarked() {
		tb.Fatalf("the value of %s cannot be compared: %#v, %v", text, v, err)
	}
	return typeText(v.Type()) + " " + encoded.AsString()
}

// typeText returns the output of the console's type function without spaces.
func typeText(t cty.Type) string {
	switch {
	case t == cty.DynamicPseudoType:
		return "dynamic"
	case t.IsPrimitiveType():
		return t.FriendlyName()
	case t.IsListType():
		return "list(" + typeText(t.ElementType()) + ")"
	case t.IsSetType():
		return "set(" + typeText(t.ElementType()) + ")"
	case t.IsMapType():
		return "map(" + typeText(t.ElementType()) + ")"
	case t.IsTupleType():
		var parts []string
		for _, element := range t.TupleElementTypes() {
			parts = append(parts, typeText(element))
		}
		return "tuple([" + strings.Join(parts, ",") + "])"
	default:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
			parts = append(parts, name+":"+typeText(t.AttributeType(name)))
		}
		return "object({" + strings.Join(parts, ",") + "})"
	}
}

// TestFunctionsOfEngine compares the table with the results of the command's console, or
// records them with -update.
func TestFunctionsOfEngine(t *testing.T) {
	t.Parallel()
	cli := engine(t)
	rows := table(t)
	var exprs []string
	for _, r := range rows {
		if r.expr != "" {
			exprs = append(exprs, r.expr)
		}
	}
	answers := console(t, cli.Path, exprs)
	for i, r := range rows {
		if r.expr == "" {
			continue
		}
		got := answers[r.expr]
		if got != r.want && !*update {
			t.Errorf("%s\n got %s\nwant %s", r.expr, got, r.want)
		}
		rows[i].line = r.expr + " => " + got
	}
	if *update {
		var b strings.Builder
		for _, r := range rows {
			b.WriteString(r.line + "\n")
		}
		if err := os.WriteFile(tableFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// console returns the console's result of each expression. The console ends at the
// first error, so failing expressions are found beforehand.
func console(t *testing.T, path string, exprs []string) map[string]string {
	t.Helper()
	var inputs []string
	for _, expr := range exprs {
		inputs = append(inputs, "can("+expr+")")
	}
	var works []string
	answers := map[string]string{}
	for i, can := range consoleOutput(t, path, inputs) {
		answers[exprs[i]] = "error"
		if can == "true" {
			works = append(works, exprs[i])
		}
	}
	inputs = nil
	for _, expr := range works {
		inputs = append(inputs, "type("+expr+")", "jsonencode("+expr+")")
	}
	results := consoleOutput(t, path, inputs)
	blank := regexp.MustCompile(`\s+`)
	for i, expr := range works {
		typ := blank.ReplaceAllString(results[2*i], "")
		typ = strings.NewReplacer(",]", "]", ",}", "}", ",)", ")").Replace(typ)
		text, err := strconv.Unquote(results[2*i+1])
		if err != nil {
			t.Fatalf("%s: %s", expr, results[2*i+1])
		}
		answers[expr] = typ + " " + text
	}
	return answers
}

// consoleOutput passes the lines to one console, and returns the output of each line.
func consoleOutput(t *testing.T, path string, lines []string) []string {
	t.Helper()
	const mark = "next line"
	var in strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&in, "%s\n%q\n", line, mark)
	}
	cmd := exec.CommandContext(t.Context(), path, "console")
	cmd.Env = tfcli.Environ(os.Environ(), "")
	cmd.Dir = filepath.FromSlash(baseDir)
	cmd.Stdin = strings.NewReader(in.String())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	results := strings.Split(strings.TrimSpace(string(out))+"\n", strconv.Quote(mark)+"\n")
	if err != nil || len(results) != len(lines)+1 {
		t.Fatalf("the console printed results for %d of %d lines; the last is %s: %v\n%s", len(results)-1, len(lines), lines[max(0, len(results)-2)], err, &stderr)
	}
	results = results[:len(lines)]
	for i := range results {
		results[i] = strings.TrimSpace(results[i])
	}
	return results
}

// TestFunctionsAreComplete checks that the functions are those of the command, with and
// without core::, and that the table calls each except plantimestamp at least twice.
func TestFunctionsAreComplete(t *testing.T) {
	t.Parallel()
	have := lang.Functions(lang.FunctionOptions{})
	used := map[string]int{}
	for _, r := range table(t) {
		for _, m := range regexp.MustCompile(`([a-z0-9_:]+)\(`).FindAllStringSubmatch(r.expr, -1) {
			used[m[1]]++
		}
	}
	for name, f := range have {
		plain, core := strings.CutPrefix(name, "core::")
		if len(f.Params()) != len(have[plain].Params()) {
			t.Errorf("%s has %d parameters, want %d, like %s", name, len(f.Params()), len(have[plain].Params()), plain)
		}
		if !core && used[name] < 2 && name != "plantimestamp" { // the console does not have it
			t.Errorf("%s is called %d times in the table, want at least 2", name, used[name])
		}
	}

	cmd := exec.CommandContext(t.Context(), engine(t).Path, "metadata", "functions", "-json")
	cmd.Env = tfcli.Environ(os.Environ(), "")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Signatures map[string]json.RawMessage `json:"function_signatures"`
	}
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	for name := range theirs.Signatures {
		if _, ok := have[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if diff := cmp.Diff(len(theirs.Signatures), len(have)); diff != "" {
		t.Errorf("number of functions (-engine +ours):\n%s", diff)
	}
}
