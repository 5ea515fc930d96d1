package conformance

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Finding is a law that a resource type breaks, with the smallest case that
// shows it.
type Finding struct {
	// Type is the resource type, and Law what it breaks.
	Type string
	Law  Law
	// RPC is the call whose answer broke the law.
	RPC string
	// What came about, in a sentence or more. It has no sensitive value, unless
	// the provider's own messages have one that was not made here.
	What string
	// Configs are the configurations of the smallest case as HCL, and Steps what
	// happens with them.
	Configs, Steps []string
	// Differences are the places where what came is not what had to come.
	Differences []Difference
	// Replay is the value of ACCTEST_SEED with which the same is found again.
	Replay string
}

// Difference is a place in an object, with what had to be there and what came,
// described for people.
type Difference struct{ Path, Want, Got string }

// newFinding is what a violation is for people.
func newFinding(s *subject, v *violation, steps []step, replay string) *Finding {
	f := &Finding{Type: s.name, Law: lawOf(v.law), RPC: v.rpc, What: v.what, Replay: replay}
	f.tell(s, steps)
	for _, d := range v.differences {
		f.Differences = append(f.Differences, Difference{diag.FormatPath(d.path), d.want, d.got})
	}
	return f
}

// tell describes the steps. Equal configurations are shown once.
func (f *Finding) tell(s *subject, steps []step) {
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
		told := fmt.Sprintf("%s: configuration %d", step.kind, n)
		if len(w.sources) > 0 {
			told += ", with " + places(w.unknown) + " not known when it is first planned"
		}
		f.Steps = append(f.Steps, told)
	}
}

// set are the unknown places of a step that its configuration really sets.
func set(s step) []cty.Path {
	var out []cty.Path
	for _, path := range s.unknown {
		if v := valueAt(s.config, path); v != cty.NilVal && !v.IsNull() {
			out = append(out, path)
		}
	}
	return out
}

// String is the report.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s breaks the law %q (%s).\nWhy it matters: %s\n", f.Type, f.Law.Says, f.Law.ID, f.Law.Why)
	if f.RPC != "" {
		fmt.Fprintf(&b, "\n%s answered, and %s\n", f.RPC, indented(f.What))
	} else {
		fmt.Fprintf(&b, "\n%s\n", f.What)
	}
	for _, d := range f.Differences {
		path := d.Path
		if path == "" {
			path = "the object"
		}
		fmt.Fprintf(&b, "  %s\n    expected: %s\n    came:     %s\n", path, d.Want, d.Got)
	}
	if len(f.Steps) > 0 {
		b.WriteString("\nThe smallest case:\n")
		for i, told := range f.Steps {
			fmt.Fprintf(&b, "  %d. %s\n", i+1, told)
		}
	}
	for i, config := range f.Configs {
		fmt.Fprintf(&b, "\n# configuration %d\n%s", i+1, config)
	}
	if f.Replay != "" {
		fmt.Fprintf(&b, "\nTo see it again: %s=%s\n", EnvSeed, f.Replay)
	}
	return b.String()
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
