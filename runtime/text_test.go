package runtime_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestJSONEquals(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, ` { "b" : 2, "a" : 1 } `, true},
		{`[1,2]`, `[2,1]`, false},
		{`1.0`, `1`, false}, // different text, possibly a different value
		{`12345678901234567890`, `12345678901234567891`, false},
		{`"a"`, `"\u0061"`, true},
		{`null`, `{}`, false},
		{`{`, `{`, false},
		{`1`, `1 2`, false},
	} {
		if got := runtime.JSON(test.a).SemanticEquals(runtime.JSON(test.b)); got != test.want {
			t.Errorf("%s and %s: %v, want %v", test.a, test.b, got, test.want)
		}
	}
	var j runtime.JSON
	if err := j.UnmarshalText([]byte(`{"a"}`)); err == nil || !strings.Contains(err.Error(), "jsonencode") {
		t.Errorf("invalid JSON: got error %v, want one that names jsonencode", err)
	}
}

func TestDuration(t *testing.T) {
	var d runtime.Duration
	if err := d.UnmarshalText([]byte("1h30m")); err != nil || time.Duration(d) != 90*time.Minute {
		t.Errorf("UnmarshalText: got %v and the error %v, want 1h30m0s and none", time.Duration(d), err)
	}
	if text, err := d.MarshalText(); err != nil || string(text) != "1h30m0s" {
		t.Errorf("MarshalText: got %s and the error %v, want 1h30m0s and none", text, err)
	}
	for _, bad := range []string{"", "10", "-1s", "soon"} {
		if err := d.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is accepted as a duration", bad)
		}
	}
}

// Sealed has sensitive texts of a type whose errors repeat the text.
type Sealed struct {
	crud[Sealed, SealedOutput] `tf:"-"`

	Name   string
	Token  netip.Addr   `tf:",optional,sensitive"`
	Given  netip.Addr   `tf:",optional"` // sensitive as an output
	Secret netip.Addr   `tf:",optional,writeonly"`
	Parts  []SealedPart `tf:",optional"`
	Plain  netip.Addr   `tf:",optional"`
}

type SealedPart struct {
	Code netip.Addr `tf:",sensitive"`
}

type SealedOutput struct {
	Name  string
	Given netip.Addr `tf:",optional,sensitive"`
}

// TestErrorsOfSensitiveTexts checks that the error for a text that its type cannot parse does not contain the
// text if it is sensitive.
func TestErrorsOfSensitiveTexts(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"sealed": runtime.MakeResource[Sealed, *SealedOutput, runtime.NoConfig](),
	}}), "test_sealed")
	diags := d.validate(d.config(attrs{
		"name": str("a"), "token": str("hush\n"), "given": str("hush"), "secret": str("hush"), "plain": str("shown"),
		"parts": cty.ListVal([]cty.Value{cty.ObjectVal(attrs{"code": str("hush")})}),
	}))
	text := diags.Error()
	if strings.Contains(text, "hush") || len(diags) != 5 {
		t.Errorf("got %d diagnostics, want 5 without the text hush: %s", len(diags), text)
	}
	for _, word := range []string{"token: ", "given: ", "secret: ", "parts[0].code: ", `plain: Invalid value: ParseAddr("shown")`} {
		if !strings.Contains(text, word) {
			t.Errorf("the diagnostics do not contain %q: %s", word, text)
		}
	}
	d.state = d.config(attrs{"name": str("a"), "token": str("hush")})
	wantError(t, d.refresh(), "by this version of the provider: token: the value is not valid")
}
