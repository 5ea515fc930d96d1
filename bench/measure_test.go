package bench_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench"
)

func TestSampleMedianAndRatio(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		times, others []float64
		median, ratio float64
	}{
		"one round":                     {times: []float64{30}, others: []float64{20}, median: 30, ratio: 1.5},
		"even rounds":                   {times: []float64{4, 1, 3, 2}, others: []float64{1, 1, 1, 1}, median: 2.5, ratio: 2.5},
		"a disturbed round cancels out": {times: []float64{2, 200, 4}, others: []float64{1, 100, 2}, median: 4, ratio: 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bench.Sample{Times: tt.times}
			if got := s.Median(); got != tt.median {
				t.Errorf("the median is %v, want %v", got, tt.median)
			}
			if got := s.Ratio(bench.Sample{Times: tt.others}); got != tt.ratio {
				t.Errorf("the ratio is %v, want %v", got, tt.ratio)
			}
		})
	}
}

// TestSlowCallsHaveFewRounds checks that slow calls are measured in fewer rounds than fast
// ones.
func TestSlowCallsHaveFewRounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := bench.Case{Call: func(_ context.Context, c bench.Contender) (bench.Answer, error) {
			took := time.Microsecond
			if c.Name == "slow" {
				took = 310 * time.Millisecond
			}
			time.Sleep(took)
			return bench.Answer{}, nil
		}}
		samples, err := bench.Measure(t.Context(), c, []bench.Contender{{Name: "slow"}, {Name: "fast"}}, 5, time.Microsecond)
		if err != nil {
			t.Fatal(err)
		}
		if slow, fast := len(samples[0].Times), len(samples[1].Times); slow != 3 || fast != 5 {
			t.Errorf("the slow call had %d rounds and the fast call %d, want 3 and 5", slow, fast)
		}
	})
}

// TestEmptyBatch checks that a batch without a duration measures at least one call.
func TestEmptyBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := bench.Case{Call: func(context.Context, bench.Contender) (bench.Answer, error) {
			time.Sleep(time.Microsecond)
			return bench.Answer{}, nil
		}}
		samples, err := bench.Measure(t.Context(), c, []bench.Contender{{}}, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := samples[0].Median(); got != 1000 {
			t.Errorf("a call takes %v ns, want 1000", got)
		}
	})
}

// TestWrongAnswersAreNotMeasured checks that wrong answers are detected: wrong content, a
// diagnostic, a wrong result, and a wrong schema.
func TestWrongAnswersAreNotMeasured(t *testing.T) {
	t.Parallel()
	cases, contenders := load(t, 1)
	var read, plan, call, schema bench.Case
	for _, c := range cases {
		switch c.Name() {
		case "read/small":
			read = c
		case "plan-update/small":
			plan = c
		case "call-upper/text":
			call = c
		case "schema-warm/1000-types":
			schema = c
		}
	}
	swapped := read
	swapped.Want = plan.Want
	refused := read
	refused.Call = func(context.Context, bench.Contender) (bench.Answer, error) {
		return bench.Answer{Diagnostics: []*tfplugin.Diagnostic{{Summary: "refused"}}}, nil
	}
	refused.Want = cty.NilVal
	call.Want = cty.StringVal("hello")
	schema.WantTypes--
	for name, c := range map[string]bench.Case{"content": swapped, "diagnostic": refused, "result": call, "schema": schema} {
		if c.Call == nil {
			t.Fatalf("wrong %s: the case does not exist", name)
		}
		if _, err := bench.Measure(t.Context(), c, contenders[:1], 1, time.Microsecond); err == nil {
			t.Errorf("wrong %s: Measure returned no error, want an error", name)
		}
	}
}
