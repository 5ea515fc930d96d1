package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Bucket is a resource with an identity, so its objects can be listed.
type Bucket struct {
	Name string

	service *bucketService
}

type BucketOutput struct {
	Name  string
	Owner string
}

type BucketID struct{ Name string }

// bucketService stands for the client of a remote service.
type bucketService struct{ owners [][2]string }

func (*Bucket) SchemaVersion() int      { return 0 }
func (*Bucket) ReplaceFields() []string { return []string{"name"} }

func (b *Bucket) Create(context.Context, runtime.NoConfig) (*BucketOutput, error) {
	return nil, errors.New("this example creates nothing")
}

func (b *Bucket) Read(_ context.Context, _ runtime.NoConfig, prior *BucketOutput) (*BucketOutput, error) {
	for _, bucket := range b.service.owners {
		if bucket[0] == prior.Name {
			return &BucketOutput{Name: bucket[0], Owner: bucket[1]}, nil
		}
	}
	return nil, runtime.ErrNotFound
}

func (b *Bucket) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Bucket, *BucketOutput]) (*BucketOutput, error) {
	return b.Create(ctx, cfg)
}

func (*Bucket) Delete(context.Context, runtime.NoConfig, *BucketOutput) error { return nil }

func (*Bucket) Identity(_ runtime.NoConfig, out *BucketOutput) BucketID {
	return BucketID{Name: out.Name}
}

// Buckets lists buckets by the prefix of their names.
type Buckets struct {
	Prefix *string

	service *bucketService
}

func (b *Buckets) List(_ context.Context, _ runtime.NoConfig, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*BucketOutput], error] {
	return func(yield func(runtime.Listed[*BucketOutput], error) bool) {
		for _, bucket := range b.service.owners {
			if b.Prefix != nil && !strings.HasPrefix(bucket[0], *b.Prefix) {
				continue
			}
			// The service lists only names; for whole objects, Read is called.
			if !yield(runtime.Listed[*BucketOutput]{Object: &BucketOutput{Name: bucket[0]}}, nil) {
				return
			}
		}
	}
}

var _ runtime.TypedLister[*BucketOutput, runtime.NoConfig] = (*Buckets)(nil)

func ExampleMakeListerWith() {
	service := &bucketService{owners: [][2]string{{"logs-1", "ann"}, {"photos", "bob"}, {"logs-2", "eve"}, {"logs-3", "ann"}}}
	p, err := runtime.New(runtime.Definition{
		Name: "cloud",
		Resources: map[string]runtime.ResourceRegistration{
			"bucket": runtime.MakeResourceWith[Bucket, *BucketOutput, runtime.NoConfig](func() *Bucket { return &Bucket{service: service} }),
		},
		Lists: map[string]runtime.ListRegistration{
			"bucket": runtime.MakeListerWith[Buckets, *BucketOutput, runtime.NoConfig](func() *Buckets { return &Buckets{service: service} }),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	found := p.ListResource(context.Background(), provider.ListResourceRequest{
		TypeName: "cloud_bucket", Limit: 2, IncludeResourceObject: true,
		Config: cty.ObjectVal(map[string]cty.Value{"prefix": cty.StringVal("logs")}),
	})
	for bucket := range found.Results {
		fmt.Println(bucket.DisplayName, "of", bucket.ResourceObject.GetAttr("owner").AsString())
	}
	// Output:
	// logs-1 of ann
	// logs-2 of eve
}

// AllBuckets lists a single bucket, which it does not look up.
type AllBuckets struct{}

func (AllBuckets) List(context.Context, runtime.NoConfig, runtime.ListRequest) iter.Seq2[runtime.Listed[*BucketOutput], error] {
	return func(yield func(runtime.Listed[*BucketOutput], error) bool) {
		yield(runtime.Listed[*BucketOutput]{
			DisplayName: "The default bucket",
			Object:      &BucketOutput{Name: "default", Owner: "root"},
			Complete:    true, // Read would add nothing
		}, nil)
	}
}

func ExampleMakeLister() {
	p, err := runtime.New(runtime.Definition{
		Name: "cloud",
		Resources: map[string]runtime.ResourceRegistration{
			"bucket": runtime.MakeResource[Bucket, *BucketOutput, runtime.NoConfig](),
		},
		Lists: map[string]runtime.ListRegistration{
			"bucket": runtime.MakeLister[AllBuckets, *BucketOutput, runtime.NoConfig](),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for bucket := range p.ListResource(context.Background(), provider.ListResourceRequest{TypeName: "cloud_bucket"}).Results {
		fmt.Printf("%s: %s\n", bucket.DisplayName, bucket.Identity.GetAttr("name").AsString())
	}
	// Output:
	// The default bucket: default
}
