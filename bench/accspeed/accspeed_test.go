package accspeed_test

import (
	"io"
	"log"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/bench/accspeed"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestMeasure measures one case, or in the nightly tier all cases, on both engines.
func TestMeasure(t *testing.T) { //nolint:paralleltest // it sets environment variables
	tier.CI(t)
	acctest.NeedsCLI(t)
	t.Setenv(acctest.EnvEngine, "")
	cases := accspeed.Cases()
	if len(cases) != 4 {
		t.Errorf("%d cases, want 4", len(cases))
	}
	cases = cases[:tier.Pick(1, 1, len(cases))]
	results, err := accspeed.Measure(t.TempDir(), cases, accspeed.Options{Rounds: 1, Batch: 3, Many: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(cases) {
		t.Errorf("%d results, want %d", len(results), len(cases))
	}
	for _, r := range results {
		if r.InProcess.Best <= 0 || r.InProcess.Median < r.InProcess.Best || r.CLI.Best <= r.InProcess.Best || r.Many <= 0 {
			t.Errorf("the result is %+v, want positive times, and longer times on the command line", r)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	got := accspeed.Table([]accspeed.Result{
		{Title: "slow", CLI: accspeed.Times{Median: time.Second, Best: time.Second}, InProcess: accspeed.Times{Median: 4 * time.Millisecond, Best: 4 * time.Millisecond}, Many: 11 * time.Second, Count: 10},
		{Title: "another", CLI: accspeed.Times{Median: 2 * time.Second, Best: time.Second}, InProcess: accspeed.Times{Median: 8 * time.Millisecond, Best: 5 * time.Millisecond}, Many: 12 * time.Second, Count: 1000},
	})
	want := `| test | command line, s | in process, ms | times faster | many at once |
|---|--:|--:|--:|--:|
| slow | 1.00 (1.00) | 4.00 (4.00) | 250 (250) **missed** | 10 in 11.00 s **missed** |
| another | 2.00 (1.00) | 8.00 (5.00) | 250 (200) | 1,000 in 12.00 s |
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// benchT adapts a benchmark to acctest.Test.
type benchT struct{ *testing.B }

func (benchT) Parallel() {}

// BenchmarkInProcess is for profiles. The published times are those of Measure.
func BenchmarkInProcess(b *testing.B) {
	log.SetOutput(io.Discard)
	for _, c := range accspeed.Cases() {
		b.Run(c.Title, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				acctest.Test(benchT{b}, c.New(b.TempDir()))
			}
		})
	}
}
