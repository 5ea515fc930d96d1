package runtime_test

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Region is the value that the methods of queues get in place of the provider's
// configuration.
type Region struct{ Name string }

// Queue is a resource in a region.
type Queue struct {
	Region string
	Name   string
}

// QueueOutput is an existing queue.
type QueueOutput struct {
	Region string
	Name   string
}

func (*Queue) SchemaVersion() int      { return 0 }
func (*Queue) ReplaceFields() []string { return nil }

func (q *Queue) Create(_ context.Context, region Region) (*QueueOutput, error) {
	fmt.Println(q.Name, "is created in", region.Name)
	return &QueueOutput{Region: q.Region, Name: q.Name}, nil
}

func (q *Queue) Read(_ context.Context, _ Region, prior *QueueOutput) (*QueueOutput, error) {
	return prior, nil
}

func (q *Queue) Update(_ context.Context, _ Region, prior runtime.Prior[Queue, *QueueOutput]) (*QueueOutput, error) {
	return prior.Observed, nil
}

func (*Queue) Delete(context.Context, Region, *QueueOutput) error { return nil }

// Each queue is in a region, which the wrapper looks up for each method.
func ExampleWrapper() {
	inRegion := func(ctx context.Context, _ runtime.NoConfig, call runtime.ResourceCall, method func(context.Context, Region) (bool, error)) error {
		queue, _ := call.Resource.(*Queue)
		if queue.Region != "eu" {
			return fmt.Errorf("there is no region %q", queue.Region)
		}
		exists, err := method(ctx, Region{Name: "eu-west-1"})
		if call.Method == runtime.MethodCreate {
			fmt.Println("exists:", exists)
		}
		return err
	}
	c := newConsole(runtime.MakeWrappedResource[Queue, *QueueOutput](inRegion, func() *Queue { return new(Queue) }))
	c.apply(attrs{"region": str("eu"), "name": str("logs")})
	// Output:
	// create
	// logs is created in eu-west-1
	// exists: true
}
