package bench_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/bench"
)

// BenchmarkRPC has a sub-benchmark for each rpc/size/contender.
func BenchmarkRPC(b *testing.B) {
	cases, contenders := load(b)
	for _, c := range cases {
		for _, impl := range contenders {
			b.Run(c.Name()+"/"+impl.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Call(b.Context(), impl.Server); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestContendersAnswerAlike keeps the comparison honest.
func TestContendersAnswerAlike(t *testing.T) {
	t.Parallel()
	cases, contenders := load(t)
	for _, c := range cases {
		for _, impl := range contenders {
			t.Run(c.Name()+"/"+impl.Name, func(t *testing.T) {
				t.Parallel()
				answer, err := c.Call(t.Context(), impl.Server)
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

func load(tb testing.TB) ([]bench.Case, []bench.Contender) {
	tb.Helper()
	cases, err := bench.Cases()
	if err != nil {
		tb.Fatal(err)
	}
	contenders, err := bench.Contenders(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return cases, contenders
}
