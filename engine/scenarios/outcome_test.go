package scenarios_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Outcome is the result of one step. Its text is sorted where the scenario does not compare the
// order, because independent operations have no fixed order.
type Outcome struct {
	Failed bool
	// Messages are the errors and warnings with their objects.
	Messages []Message
	// Plans are the planned changes, moves and imports.
	Plans []string
	// Calls are the provider's calls, in order.
	Calls []Call
	// Holds are the objects in the state, Outputs the outputs.
	Holds, Outputs []string
}

// Message is an error or a warning.
type Message struct {
	Severity, Address, Summary string
}

// NewMessage returns a message about the address, or about the first object in the
// detail: commands do not always report an address.
func NewMessage(severity, address, summary, detail string) Message {
	if address == "" {
		address = objectAddress.FindString(strings.ReplaceAll(detail, `\"`, `"`)) // quoted addresses have escaped keys
	}
	summary, _, _ = strings.Cut(summary, "\n")
	return Message{Severity: severity, Address: address, Summary: summary}
}

var objectAddress = regexp.MustCompile(`(module\.\w+(\[("[^"]*"|\d+)\])?\.)*(data\.|ephemeral\.)?wrong_\w+\.\w+(\[("[^"]*"|\d+)\])?`)

// String returns the message as a line of an outcome.
func (m Message) String() string {
	about := m.Address
	if about == "" {
		about = "-"
	}
	return fmt.Sprintf("%s %s: %s", m.Severity, about, m.Summary)
}

// text returns the outcome in the form of a scenario.
func (o Outcome) text(s *Scenario, n int) string {
	var b strings.Builder
	result := "succeeds"
	if o.Failed {
		result = "fails"
	}
	fmt.Fprintf(&b, "%d %s: %s\n", n+1, strings.Join(s.Steps[n].Command, " "), result)
	lines := func(word string, of []string) {
		for _, line := range of {
			fmt.Fprintf(&b, "  %-7s %s\n", word, line)
		}
	}
	lines("says", o.messageLines(s.AnyTitle))
	lines("plans", sorted(o.Plans))
	lines("asks", o.callLines(s.AnyOrder))
	if s.Ordered {
		lines("order", o.applies())
	}
	if len(o.Holds) == 0 {
		lines("holds", []string{"nothing"})
	}
	lines("holds", sorted(o.Holds))
	lines("output", sorted(o.Outputs))
	return b.String()
}

// messageLines returns the line of each message once: commands may report a message
// repeatedly, and not always with its object.
func (o Outcome) messageLines(anyTitle bool) []string {
	about := map[Message]bool{}
	for _, m := range o.Messages {
		if anyTitle {
			m.Summary = "…"
		}
		if m.Address != "" {
			about[Message{Severity: m.Severity, Summary: m.Summary}] = true
		}
	}
	var out []string
	for _, m := range o.Messages {
		if anyTitle {
			m.Summary = "…"
		}
		if m.Address != "" || !about[m] {
			out = append(out, m.String())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func sorted(lines []string) []string {
	out := slices.Clone(lines)
	slices.Sort(out)
	return out
}

// callLines returns a line with the calls for each object.
func (o Outcome) callLines(anyOrder bool) []string {
	var order []string
	calls := map[string][]string{}
	for _, c := range o.Calls {
		rpc, _, _ := strings.Cut(c.What, " ")
		switch rpc {
		case "validate", "validate_data", "validate_ephemeral":
			continue // may be called any number of times
		case "upgrade", "function":
			if slices.Contains(calls[c.Object], c.What) {
				continue // may be called again
			}
		}
		if calls[c.Object] == nil {
			order = append(order, c.Object)
		}
		calls[c.Object] = append(calls[c.Object], c.What)
	}
	slices.Sort(order)
	var out []string
	for _, object := range order {
		if anyOrder {
			slices.Sort(calls[object])
		}
		out = append(out, object+": "+strings.Join(calls[object], ", "))
	}
	return out
}

// applies returns the applied changes in order.
func (o Outcome) applies() []string {
	var out []string
	for _, c := range o.Calls {
		if what, ok := strings.CutPrefix(c.What, "apply "); ok {
			act, _, _ := strings.Cut(what, " ")
			out = append(out, act+" "+c.Object)
		}
	}
	return out
}

// Text returns the outcomes of all steps as they are recorded.
func (s *Scenario) Text(outcomes []Outcome) string {
	var b strings.Builder
	for n, o := range outcomes {
		b.WriteString(o.text(s, n))
	}
	return b.String()
}

// Unaddressed returns the text of an outcome. It omits repetitions of a message, and the
// address of each message that other has only without an address, because commands do not report all
// addresses.
func Unaddressed(outcome, other string) string {
	recorded := map[string]bool{}
	for line := range strings.Lines(other) {
		recorded[line] = true
	}
	var lines []string
	for line := range strings.Lines(outcome) {
		if m := saysLine.FindStringSubmatch(line); m != nil && !recorded[line] {
			if bare := m[1] + " -: " + m[2] + "\n"; recorded[bare] {
				line = bare
			}
		}
		if n := len(lines); n > 0 && lines[n-1] == line && saysLine.MatchString(line) {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

var saysLine = regexp.MustCompile(`^(  says +(?:error|warning)) \S+?: (.*)\n$`)

// Unordered returns the text of an outcome with the calls for each object sorted: the
// order of reads and planned deletions differs between versions.
func Unordered(outcome string) string {
	var b strings.Builder
	for line := range strings.Lines(outcome) {
		if object, calls, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "  asks ") {
			line = object + ": " + strings.Join(sorted(strings.Split(strings.TrimSuffix(calls, "\n"), ", ")), ", ") + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
