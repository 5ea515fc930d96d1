package report_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		values []float64
		want   string
	}{
		"no value":     {want: "–"},
		"one value":    {values: []float64{1.5}, want: "1.50"},
		"two values":   {values: []float64{1, 2}, want: "1.50"},
		"three values": {values: []float64{1.17, 1.08, 1.12}, want: "1.12 (1.08–1.17)"},
		"four values":  {values: []float64{4, 1, 3, 2}, want: "2.50 (1.00–4.00)"},
		"negative":     {values: []float64{-0.25, 0.5, 0.25}, want: "0.25 (-0.25–0.50)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := report.NewSpread(tt.values).String(); got != tt.want {
				t.Errorf("spread of %v is %q, want %q", tt.values, got, tt.want)
			}
		})
	}
}
