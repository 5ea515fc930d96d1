package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Finding is a law that a resource type breaks, with the smallest case that shows it.
type Finding struct {
	// Type is the resource type, and Law the law that it breaks.
	Type string
	Law  Law
	// RPC is the call whose response broke the law, or "" for a complete run.
	RPC string
	// What describes the violation. It has no sensitive value, unless a message of the
	// provider has one.
	What string
	// Configs are the configurations of the smallest case in HCL, and Steps its
	// operations.
	Configs, Steps []string
	// Differences are the places where the actual value differs from the expected one.
	Differences []Difference
	// Replay is the value of ACCTEST_SEED that runs the case of the finding again, or "" for an
	// invalid schema. The findings of apply-works and enough-evidence are about several cases,
	// so one case does not reproduce them.
	Replay string
}

// Difference is a place in an object with the expected and the actual value.
type Difference struct{ Path, Want, Got string }

// newFinding returns the finding for a violation.
func newFinding(s *subject, v *violation, steps []step, replay string) *Finding {
	f := &Finding{Type: s.name, Law: lawOf(v.law), RPC: v.rpc, What: v.what, Replay: replay}
	f.describe(s, steps)
	for _, d := range v.differences {
		f.Differences = append(f.Differences, Difference{diag.FormatPath(d.path), d.want, d.got})
	}
	return f
}

// describe adds the steps and their configurations. Equal configurations are listed once.
func (f *Finding) describe(s *subject, steps []step) {
	known := map[string]int{}
	for _, step := range steps {
		if !step.hasConfig() {
			f.Steps = append(f.Steps, string(step.kind))
			continue
		}
		w := &writer{s: s, unknown: set(step)}
		text := w.render("this", step.config)
		n, ok := known[text]
		if !ok {
			n = len(known) + 1
			known[text] = n
			f.Configs = append(f.Configs, text)
		}
		line := fmt.Sprintf("%s: configuration %d", step.kind, n)
		if len(w.sources) > 0 {
			line += ", with " + formatPaths(w.unknown) + " unknown in the first plan"
		}
		f.Steps = append(f.Steps, line)
	}
}

// set returns the unknown paths of a step that its configuration sets.
func set(s step) []cty.Path {
	var out []cty.Path
	for _, path := range s.unknown {
		if v := valueAt(s.config, path); v != cty.NilVal && !v.IsNull() {
			out = append(out, path)
		}
	}
	return out
}

// String returns the report.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s breaks the law %q (%s).\nWhy it matters: %s\n", f.Type, f.Law.Text, f.Law.ID, f.Law.Why)
	if f.RPC != "" {
		fmt.Fprintf(&b, "\n%s: %s\n", f.RPC, indented(f.What))
	} else {
		fmt.Fprintf(&b, "\n%s\n", f.What)
	}
	for _, d := range f.Differences {
		fmt.Fprintf(&b, "  %s\n    expected: %s\n    actual:   %s\n", cmp.Or(d.Path, "the object"), d.Want, d.Got)
	}
	if len(f.Steps) > 0 {
		b.WriteString("\nThe smallest case:\n")
		for i, line := range f.Steps {
			fmt.Fprintf(&b, "  %d. %s\n", i+1, line)
		}
	}
	for i, config := range f.Configs {
		fmt.Fprintf(&b, "\n# configuration %d\n%s", i+1, config)
	}
	if f.Replay != "" {
		fmt.Fprintf(&b, "\nTo reproduce: %s=%s\n", EnvSeed, f.Replay)
	}
	return b.String()
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// violation is a broken law.
type violation struct {
	law string
	// rpc is the call whose response broke it, or "" for a complete run.
	rpc string
	// what describes the violation; see Finding.What.
	what string
	// differences are the places where the actual value differs from the expected one.
	differences []difference
}

func (v *violation) Error() string { return v.law + ": " + v.what }

// rejection ends a case without a violation: the provider refused an operation in a
// permitted way, or broke a waived law.
type rejection struct {
	op    operation
	diags diag.Diagnostics
}

func (s *rejection) Error() string { return string(s.op) + ": " + s.diags.Error() }

// operation is an operation that a provider may refuse.
type operation string

const (
	planning operation = "plan"
	creating operation = "create"
	updating operation = "update in place"
)

// rpc returns the call of the operation.
func (op operation) rpc() string {
	if op == planning {
		return rpcPlan
	}
	return rpcApply
}

func (r *run) breaks(law, rpc, format string, args ...any) error {
	if _, waived := r.Waive[law]; waived {
		return nil
	}
	return &violation{law: law, rpc: rpc, what: fmt.Sprintf(format, args...)}
}

// differs returns a violation about two values that should be equal, or nil if the law is
// waived.
func (r *run) differs(law, rpc string, diffs []difference, format string, args ...any) error {
	err := r.breaks(law, rpc, format, args...)
	if v, ok := errors.AsType[*violation](err); ok {
		v.differences = diffs
	}
	return err
}

// errs returns a violation about errors whose texts contain no values, or nil if the law
// is waived.
func (r *run) errs(law, rpc string, broken []error, diffs []difference) error {
	texts := make([]string, len(broken))
	for i, err := range broken {
		texts[i] = r.s.withPath(err)
	}
	return r.differs(law, rpc, diffs, "%s", strings.Join(texts, "\n"))
}

// errorText returns the texts of the errors in messages, one per line.
func errorText(messages diag.Diagnostics) string {
	var lines []string
	for _, m := range messages {
		if m.Severity == diag.Error {
			lines = append(lines, m.Error())
		}
	}
	return strings.Join(lines, "\n")
}
