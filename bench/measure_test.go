package bench_test

import (
	"context"
	"testing"
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
				t.Errorf("median is %v, want %v", got, tt.median)
			}
			if got := s.Ratio(bench.Sample{Times: tt.others}); got != tt.ratio {
				t.Errorf("ratio is %v, want %v", got, tt.ratio)
			}
		})
	}
}

// TestWrongAnswersAreNotMeasured sees the check red: an answer of the wrong
// content, and one with a diagnostic.
func TestWrongAnswersAreNotMeasured(t *testing.T) {
	t.Parallel()
	cases, contenders := load(t, 1)
	var read, plan bench.Case
	for _, c := range cases {
		switch c.Name() {
		case "read/small":
			read = c
		case "plan-update/small":
			plan = c
		}
	}
	swapped := read
	swapped.Want = plan.Want
	refused := read
	refused.Call = func(context.Context, bench.Contender) (bench.Answer, error) {
		return bench.Answer{Diagnostics: []*tfplugin.Diagnostic{{Summary: "refused"}}}, nil
	}
	refused.Want = cty.NilVal
	for name, c := range map[string]bench.Case{"content": swapped, "diagnostic": refused} {
		if _, err := bench.Measure(t.Context(), c, contenders[:1], 1, time.Microsecond); err == nil {
			t.Errorf("wrong %s: measured without complaint", name)
		}
	}
}
