package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Volume is a disk that a slow service attaches to a host. The service attaches one disk at a time.
type Volume struct {
	Name     string
	Host     string
	Timeouts *runtime.Timeouts
}

type VolumeOutput struct{ Name string }

func (*Volume) SchemaVersion() int      { return 0 }
func (*Volume) ReplaceFields() []string { return []string{"name"} }

// OperationTimeouts returns the default timeouts.
func (*Volume) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Create: 10 * time.Millisecond}
}

// Locks returns the lock of the host, so that operations on the host run one after the other.
func (v *Volume) Locks(runtime.NoConfig) []string { return []string{"host " + v.Host} }

func (v *Volume) Create(ctx context.Context, _ runtime.NoConfig) (*VolumeOutput, error) {
	if v.Host == "slow" {
		<-ctx.Done()
		return nil, errors.New("the host does not answer")
	}
	return &VolumeOutput{Name: v.Name}, nil
}

func (v *Volume) Read(context.Context, runtime.NoConfig, *VolumeOutput) (*VolumeOutput, error) {
	return &VolumeOutput{Name: v.Name}, nil
}

func (v *Volume) Update(context.Context, runtime.NoConfig, runtime.Prior[Volume, *VolumeOutput]) (*VolumeOutput, error) {
	fmt.Println("Update is called")
	return &VolumeOutput{Name: v.Name}, nil
}

func (*Volume) Delete(context.Context, runtime.NoConfig, *VolumeOutput) error { return nil }

func volume() *console {
	return newConsole(runtime.MakeResource[Volume, *VolumeOutput, runtime.NoConfig]())
}

func ExampleTimeoutDeclarer() {
	c := volume()
	c.apply(attrs{"name": str("data"), "host": str("slow")})
	// Output:
	// create
	// timeouts.create: The operation was canceled after its timeout of 10ms. To allow more time, set timeouts = { create = "20ms" }.
	// the host does not answer
}

func ExampleTimeouts() {
	c := volume()
	c.apply(attrs{"name": str("data"), "host": str("fast")})
	// A change of only the timeouts is recorded without a call of Update.
	c.apply(attrs{"name": str("data"), "host": str("fast"), "timeouts": cty.ObjectVal(attrs{
		"create": str("10m"), "read": cty.NullVal(cty.String), "update": cty.NullVal(cty.String), "delete": str("1h"),
	})})
	display(c.state.GetAttr("timeouts"), "create", "delete")
	// Output:
	// create
	// update
	// create = 10m
	// delete = 1h
}

func ExampleLocker() {
	c := volume()
	c.apply(attrs{"name": str("data"), "host": str("fast")})
	fmt.Println((&Volume{Host: "fast"}).Locks(runtime.NoConfig{}))
	// Output:
	// create
	// [host fast]
}

func ExampleLock() {
	attach := func(ctx context.Context, host string) error {
		unlock, err := runtime.Lock(ctx, "host "+host, "storage")
		if err != nil {
			return err // the timeout expired, or the run was stopped, while waiting
		}
		defer unlock()
		fmt.Println("attached to", host)
		return nil
	}
	fmt.Println(attach(context.Background(), "fast"))
	// Output:
	// attached to fast
	// <nil>
}

func ExampleRetry() {
	tries := 0
	check := func(context.Context) error {
		tries++
		if tries < 3 {
			return runtime.Retryable(errors.New("the service is busy"))
		}
		return nil
	}
	fmt.Println(runtime.Retry(context.Background(), check, runtime.RetryDelays(time.Millisecond, time.Second)), "after", tries, "tries")
	// Output:
	// <nil> after 3 tries
}
