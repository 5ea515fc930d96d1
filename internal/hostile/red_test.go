package hostile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// invalidReader is a server that returns resp and err for reads.
type invalidReader struct {
	server
	resp *tfplugin.ReadResourceResponse
	err  error
}

func (s invalidReader) ReadResource(context.Context, *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	return s.resp, s.err
}

func readError(summary, detail string, at *tftypes.AttributePath) *tfplugin.ReadResourceResponse {
	return &tfplugin.ReadResourceResponse{Diagnostics: []*tfplugin.Diagnostic{{Summary: summary, Detail: detail, Attribute: at}}}
}

// TestJudge checks that the judge reports several kinds of failures in responses, and nothing else.
func TestJudge(t *testing.T) {
	t.Parallel()
	schema := provider.GetProviderSchemaResponse{ResourceTypes: map[string]provider.Schema{"thing": {
		Body:     &configschema.Block{Attributes: map[string]*configschema.Attribute{"a": {Type: cty.String, Optional: true}}},
		Identity: &configschema.Object{Nesting: configschema.NestingSingle, Attributes: map[string]*configschema.Attribute{"a": {Type: cty.String, Required: true}}},
	}}}
	good := []byte("\x81\xa1a\xa1x")
	for name, tt := range map[string]struct {
		resp   *tfplugin.ReadResourceResponse
		err    error
		forged bool
		want   string // empty: no failure
	}{
		"a valid state":                      {resp: &tfplugin.ReadResourceResponse{NewState: dynamic(good), NewIdentity: identity(good)}},
		"an error of the user":               {resp: readError("Invalid value", "the text is too long", tftypes.NewAttributePath().WithAttributeName("a"))},
		"a broken rule":                      {resp: readError("Provider bug: thing.a is unknown after a read (READ-007)", "", nil), want: "READ-007"},
		"a broken rule, forged":              {resp: readError("Provider bug: thing.a is unknown after a read (READ-007)", "", nil), forged: true, want: "READ-007"},
		"a broken rule of comparing":         {resp: readError("Provider bug: a in the identity of thing changed in a read (READ-005)", "", nil), want: "READ-005"},
		"a broken rule of comparing, forged": {resp: readError("Provider bug: a in the identity of thing changed in a read (READ-005)", "", nil), forged: true},
		"a panic":                            {resp: readError("The provider panicked", "", nil), want: "panicked"},
		"an error that reports a bug":        {resp: readError("Cannot read", "provider bug: the method Read returned neither", nil), want: "neither"},
		"an invalid state":                   {resp: &tfplugin.ReadResourceResponse{NewState: dynamic([]byte("\x01"))}, want: "cannot be read"},
		"an invalid identity": {
			resp: &tfplugin.ReadResourceResponse{NewIdentity: identity([]byte("\x01"))}, want: "cannot be read",
		},
		"a path that is not UTF-8": {resp: readError("x", "", tftypes.NewAttributePath().WithElementKeyString("\xff")), want: "not UTF-8"},
		"an error":                 {resp: readError("x", "", nil), err: errors.New("broken pipe"), want: "broken pipe"},
		"no response":              {want: "returned no response"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found []string
			j := &judge{forged: tt.forged, fail: func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }}
			j.expect(schema)
			_, _ = (&judged{server: invalidReader{resp: tt.resp, err: tt.err}, judge: j}).ReadResource(t.Context(), &tfplugin.ReadResourceRequest{TypeName: "thing"})
			switch text := strings.Join(found, "\n"); {
			case tt.want == "" && text != "":
				t.Errorf("got failures %q, want none", found)
			case !strings.Contains(text, tt.want) || tt.want != "" && len(found) != 1:
				t.Errorf("got failures %q, want %q", found, tt.want)
			}
		})
	}
}

// TestComparingRulesExist checks that comparing has only existing rules.
func TestComparingRulesExist(t *testing.T) {
	t.Parallel()
	for _, id := range comparing {
		if !slices.ContainsFunc(guard.Rules(), func(r guard.Rule) bool { return string(r.ID) == id }) {
			t.Errorf("comparing has the rule %s, which package guard does not have", id)
		}
	}
}

// TestSlowInputs checks that fastest repeats a slow execution, and returns a slow time if
// the execution is slow each time.
func TestSlowInputs(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Millisecond
	runs := 0
	slowly := func() time.Duration {
		runs++
		took := stopwatch()
		time.Sleep(2 * slack * limit)
		return took()
	}
	if took := fastest(limit, slowly); took <= limit || runs != 1+retries {
		t.Errorf("got %d runs, the fastest of %v; want %d runs, each of more than %v", runs, took, 1+retries, limit)
	}
	runs = 0
	if took := fastest(limit, func() time.Duration { runs++; return limit }); took > limit || runs != 1 {
		t.Errorf("got %d runs, the fastest of %v; want 1 run of at most %v", runs, took, limit)
	}
	runs = 0
	fastest(limit, func() time.Duration {
		if runs == 0 {
			return slowly()
		}
		runs++
		return 0
	})
	if runs != 2 {
		t.Errorf("got %d runs, the first of them slow, want 2", runs)
	}
}

// TestChoicesAreRepeatable checks that equal bytes lead to equal decisions.
func TestChoicesAreRepeatable(t *testing.T) {
	t.Parallel()
	w := must(t, demoWorld)
	body := w.schema.ResourceTypes["demo_page"].Body
	for _, data := range append(seeds(5, 100), nil) {
		if a, b := configOf(choose(data), body), configOf(choose(data), body); !a.RawEquals(b) {
			t.Errorf("%x: got %#v and %#v", data, a, b)
		}
	}
}
