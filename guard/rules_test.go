package guard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// mistake is a provider that is correct except for one small change, and the one rule that
// it breaks.
type mistake struct {
	rule guard.ID
	name string
	// inner is the provider to change; the correct provider if nil.
	inner provider.Interface
	wrong mutant
	// call sends a valid request to the guarded provider.
	call func(*testing.T, provider.Interface, world) diag.Diagnostics
	// warning means that the message about the rule is a warning.
	warning bool
}

func mistakes() []mistake {
	return slices.Concat(
		schemaMistakes(), upgradeMistakes(), readMistakes(), planMistakes(), applyMistakes(), importMistakes(), moveMistakes(), messageMistakes(), panicMistakes(),
		familySchemaMistakes(), familyMistakes(), listMistakes(), actionMistakes(), storeMistakes(),
	)
}

// TestEachRule checks that each rule detects its mistake, that no other rule does, and that
// the messages show no secret.
func TestEachRule(t *testing.T) {
	t.Parallel()
	for _, c := range mistakes() {
		t.Run(string(c.rule)+" "+c.name, func(t *testing.T) {
			t.Parallel()
			f := fake{private: []byte("m")} // the shortest private data
			w := newWorld(t, f, "fake_thing")
			wrong := c.wrong
			wrong.Interface = f
			if c.inner != nil {
				wrong.Interface = c.inner
			}
			messages := c.call(t, guard.Wrap(&wrong), w)
			if diff := cmp.Diff([]string{string(c.rule)}, brokenRules(messages)); diff != "" {
				t.Fatalf("rules (-want +got):\n%s%s", diff, messages.Error())
			}
			if messages.HasErrors() == c.warning {
				t.Errorf("errors: %v, want %v", messages.HasErrors(), !c.warning)
			}
			for _, m := range messages {
				// The text includes all parts of the path.
				if text := fmt.Sprintf("%s %#v", m.Error(), m.Path); strings.Contains(text, secret) {
					t.Errorf("the message contains a secret: %s", text)
				}
				if !strings.HasPrefix(m.Summary, "Provider bug: ") {
					t.Errorf("the summary does not report a bug of the provider: %s", m.Summary)
				}
			}
		})
	}
}

func TestEachRuleIsTested(t *testing.T) {
	t.Parallel()
	var tested []guard.ID
	for _, c := range mistakes() {
		tested = append(tested, c.rule)
	}
	for _, rule := range guard.Rules() {
		if !slices.Contains(tested, rule.ID) {
			t.Errorf("no test case breaks the rule %s", rule.ID)
		}
	}
}

func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	seen := make(map[guard.ID]bool)
	for _, rule := range guard.Rules() {
		if seen[rule.ID] {
			t.Errorf("two rules have the ID %s", rule.ID)
		}
		seen[rule.ID] = true
		if about, _, _ := strings.Cut(string(rule.ID), "-"); (rule.RPC == "") != (about == "DIAG" || about == "PANIC") {
			t.Errorf("%s has the call %q, want a call for each rule except those of DIAG and PANIC", rule.ID, rule.RPC)
		}
		for what, text := range map[string]string{
			"subject": string(rule.Subject), "title": rule.Title, "why": rule.Why, "fix": rule.Fix, "source": rule.Source,
		} {
			if text == "" {
				t.Errorf("%s has no %s", rule.ID, what)
			}
		}
		if strings.HasSuffix(rule.Title, ".") || !strings.HasSuffix(rule.Why, ".") && !strings.HasSuffix(rule.Why, ")") {
			t.Errorf("%s: title %q, reason %q: want no full stop after the title, and a full stop or a parenthesis after the reason", rule.ID, rule.Title, rule.Why)
		}
	}
}
