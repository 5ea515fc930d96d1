package runtime_test

import (
	"context"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Reboot restarts hosts, one after the other.
type Reboot struct {
	Hosts []string
}

func (r *Reboot) Invoke(ctx context.Context, _ runtime.NoConfig, report func(message string)) error {
	for i, host := range r.Hosts {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%d of %d hosts were restarted: %w", i, len(r.Hosts), err)
		}
		report(host + " restarts")
	}
	return nil
}

// PlanAction warns if there are several hosts.
func (r *Reboot) PlanAction(ctx context.Context, _ runtime.NoConfig) error {
	if len(r.Hosts) > 1 {
		runtime.Warn(ctx, "hosts", "Several hosts", "They restart one after the other.")
	}
	return nil
}

var (
	_ runtime.TypedAction[runtime.NoConfig]   = (*Reboot)(nil)
	_ runtime.ActionPlanner[runtime.NoConfig] = (*Reboot)(nil)
)

func reboots() provider.Interface {
	p, err := runtime.New(runtime.Definition{
		Name:    "cloud",
		Actions: map[string]runtime.ActionRegistration{"reboot": runtime.MakeAction[Reboot, runtime.NoConfig]()},
	})
	if err != nil {
		panic(err)
	}
	return p
}

var hosts = cty.ObjectVal(map[string]cty.Value{
	"hosts": cty.ListVal([]cty.Value{cty.StringVal("web"), cty.StringVal("mail")}),
})

func ExampleMakeAction() {
	p := reboots()
	for event := range p.InvokeAction(context.Background(), provider.InvokeActionRequest{ActionType: "cloud_reboot", Config: hosts}).Events {
		switch event := event.(type) {
		case provider.ActionProgress:
			fmt.Println(event.Message)
		case provider.ActionCompleted:
			fmt.Println("completed, failed:", event.Diagnostics.HasErrors())
		}
	}
	// Output:
	// web restarts
	// mail restarts
	// completed, failed: false
}

func ExampleActionPlanner() {
	plan := reboots().PlanAction(context.Background(), provider.PlanActionRequest{ActionType: "cloud_reboot", Config: hosts})
	fmt.Println(plan.Diagnostics)
	// Output:
	// hosts: Several hosts: They restart one after the other.
}

// Beep is an action with a speaker, which is not part of its configuration.
type Beep struct {
	Times int64

	speaker func(string)
}

func (b *Beep) Invoke(context.Context, runtime.NoConfig, func(string)) error {
	for range b.Times {
		b.speaker("beep")
	}
	return nil
}

func ExampleMakeActionWith() {
	speaker := func(sound string) { fmt.Println(sound) }
	p, err := runtime.New(runtime.Definition{
		Name: "cloud",
		Actions: map[string]runtime.ActionRegistration{
			"beep": runtime.MakeActionWith[Beep, runtime.NoConfig](func() *Beep { return &Beep{speaker: speaker} }),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	twice := cty.ObjectVal(map[string]cty.Value{"times": cty.NumberIntVal(2)})
	for range p.InvokeAction(context.Background(), provider.InvokeActionRequest{ActionType: "cloud_beep", Config: twice}).Events {
	}
	// Output:
	// beep
	// beep
}
