package bench_test

import (
	"os"
	"testing"

	"github.com/posixform/terraform-provider-posix/bench"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

func TestMain(m *testing.M) {
	bench.ServeIfRequested()
	os.Exit(m.Run())
}

// BenchmarkRPC has a sub-benchmark for each rpc/size/contender.
func BenchmarkRPC(b *testing.B) {
	cases, contenders := load(b, bench.Objects)
	for _, c := range cases {
		for _, impl := range contenders {
			b.Run(c.Name()+"/"+impl.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Call(b.Context(), impl); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestContendersAnswerAlike checks that all contenders give the expected answers. It uses
// few nested objects, because the framework needs seconds for a large set; [bench.Measure]
// also checks the large responses.
func TestContendersAnswerAlike(t *testing.T) {
	t.Parallel()
	cases, contenders := load(t, tier.Pick(4, 12, 12))
	for _, c := range cases {
		for _, impl := range contenders {
			t.Run(c.Name()+"/"+impl.Name, func(t *testing.T) {
				t.Parallel()
				answer, err := c.Call(t.Context(), impl)
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Check(answer); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func load(tb testing.TB, objects int) ([]bench.Case, []bench.Contender) {
	tb.Helper()
	cases, err := bench.Cases(objects)
	if err != nil {
		tb.Fatal(err)
	}
	contenders, err := bench.Contenders(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return cases, contenders
}
