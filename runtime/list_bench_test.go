package runtime_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// manyBuckets lists a thousand buckets.
type manyBuckets struct{}

func (manyBuckets) List(context.Context, runtime.NoConfig, runtime.ListRequest) iter.Seq2[runtime.Listed[*BucketOutput], error] {
	return func(yield func(runtime.Listed[*BucketOutput], error) bool) {
		for i := range 1000 {
			out := &BucketOutput{Name: fmt.Sprint("bucket-", i), Owner: "ann"}
			if !yield(runtime.Listed[*BucketOutput]{Object: out, Complete: true}, nil) {
				return
			}
		}
	}
}

// manyMessages reports a thousand messages.
type manyMessages struct{}

func (manyMessages) Invoke(_ context.Context, _ runtime.NoConfig, report func(string)) error {
	for range 1000 {
		report("on it")
	}
	return nil
}

func busy(b *testing.B) provider.Interface {
	p, err := runtime.New(runtime.Definition{
		Name:      "cloud",
		Resources: map[string]runtime.ResourceRegistration{"bucket": runtime.MakeResource[Bucket, *BucketOutput, runtime.NoConfig]()},
		Lists:     map[string]runtime.ListRegistration{"bucket": runtime.MakeLister[manyBuckets, *BucketOutput, runtime.NoConfig]()},
		Actions:   map[string]runtime.ActionRegistration{"talk": runtime.MakeAction[manyMessages, runtime.NoConfig]()},
	})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func BenchmarkListResource(b *testing.B) {
	p := busy(b)
	for _, include := range []bool{false, true} {
		b.Run(fmt.Sprintf("1000/object=%t", include), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for range p.ListResource(b.Context(), provider.ListResourceRequest{TypeName: "cloud_bucket", IncludeResourceObject: include}).Results {
					n++
				}
				if n != 1000 {
					b.Fatal(n)
				}
			}
		})
	}
}

func BenchmarkInvokeAction(b *testing.B) {
	p := busy(b)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range p.InvokeAction(b.Context(), provider.InvokeActionRequest{ActionType: "cloud_talk"}).Events {
			n++
		}
		if n != 1001 {
			b.Fatal(n)
		}
	}
}

func BenchmarkGenerateResourceConfig(b *testing.B) {
	p := busy(b)
	state := cty.ObjectVal(attrs{"name": str("a"), "owner": str("ann")})
	b.ReportAllocs()
	for b.Loop() {
		if resp := p.GenerateResourceConfig(b.Context(), provider.GenerateResourceConfigRequest{TypeName: "cloud_bucket", State: state}); len(resp.Diagnostics) > 0 {
			b.Fatal(resp.Diagnostics)
		}
	}
}
