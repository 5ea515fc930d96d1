package runtime_test

import (
	"context"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Badge is an ephemeral resource: a visitor's badge, which lasts for an hour.
type Badge struct{ Visitor string }

type BadgeOutput struct {
	Code string `tf:",sensitive"`
}

// BadgeSession is the data that is needed to renew and return the badge.
type BadgeSession struct {
	Number  int
	Renewed int
}

func (b *Badge) Open(context.Context, runtime.NoConfig) (*BadgeOutput, runtime.Lease[BadgeSession], error) {
	return &BadgeOutput{Code: "4711"}, b.lease(BadgeSession{Number: 7}), nil
}

func (*Badge) lease(s BadgeSession) runtime.Lease[BadgeSession] {
	return runtime.Lease[BadgeSession]{Session: s, RenewAt: time.Now().Add(55 * time.Minute)}
}

func (b *Badge) Renew(_ context.Context, _ runtime.NoConfig, s BadgeSession) (runtime.Lease[BadgeSession], error) {
	s.Renewed++
	return b.lease(s), nil
}

func (*Badge) Close(_ context.Context, _ runtime.NoConfig, s BadgeSession) error {
	fmt.Printf("badge %d returned, after %d renewals\n", s.Number, s.Renewed)
	return nil
}

var (
	_ runtime.EphemeralRenewer[BadgeSession, runtime.NoConfig] = (*Badge)(nil)
	_ runtime.EphemeralCloser[BadgeSession, runtime.NoConfig]  = (*Badge)(nil)
)

// Terraform closes with the data from Open, OpenTofu with the data from the last Renew:
// Close gets the newest session either way.
func ExampleMakeEphemeral() {
	p := ephemeralProvider(runtime.MakeEphemeral[Badge, *BadgeOutput, BadgeSession, runtime.NoConfig]())
	opened := open(p, attrs{"visitor": str("Ada"), "code": cty.NullVal(cty.String)})
	display(opened.Result)
	private := opened.Private
	for range 2 {
		renewed := p.RenewEphemeralResource(context.Background(), provider.RenewEphemeralResourceRequest{TypeName: "demo_it", Private: private})
		printed(renewed.Diagnostics)
		private = renewed.Private
	}
	closed := p.CloseEphemeralResource(context.Background(), provider.CloseEphemeralResourceRequest{TypeName: "demo_it", Private: opened.Private})
	printed(closed.Diagnostics)
	// Output:
	// code = 4711
	// visitor = Ada
	// badge 7 returned, after 2 renewals
}

// A seat is an object that must be returned after its use.
func ExampleEphemeralCloser() {
	p := ephemeralProvider(runtime.MakeEphemeralWith[Seat, *SeatOutput, int, runtime.NoConfig](func() *Seat { return &Seat{free: []int{12, 14}} }))
	opened := open(p, attrs{"number": cty.NullVal(cty.Number)})
	display(opened.Result)
	fmt.Println("to be renewed:", !opened.RenewAt.IsZero())
	p.CloseEphemeralResource(context.Background(), provider.CloseEphemeralResourceRequest{TypeName: "demo_it", Private: opened.Private})
	// Output:
	// number = 12
	// to be renewed: false
	// seat 12 is free again
}

// Seat is an ephemeral resource whose session is a number.
type Seat struct{ free []int }

type SeatOutput struct{ Number int }

func (s *Seat) Open(context.Context, runtime.NoConfig) (*SeatOutput, runtime.Lease[int], error) {
	return &SeatOutput{Number: s.free[0]}, runtime.Lease[int]{Session: s.free[0]}, nil
}

func (*Seat) Close(_ context.Context, _ runtime.NoConfig, seat int) error {
	fmt.Println("seat", seat, "is free again")
	return nil
}

// A failed renewal is an error.
func ExampleEphemeralRenewer() {
	p := ephemeralProvider(runtime.MakeEphemeral[Parking, *SeatOutput, int, runtime.NoConfig]())
	opened := open(p, attrs{"number": cty.NullVal(cty.Number)})
	fmt.Println("in minutes:", time.Until(opened.RenewAt).Round(time.Minute).Minutes())
	renewed := p.RenewEphemeralResource(context.Background(), provider.RenewEphemeralResourceRequest{TypeName: "demo_it", Private: opened.Private})
	printed(renewed.Diagnostics)
	// Output:
	// in minutes: 30
	// parking space 3 was given to another user
}

// Parking is an ephemeral resource that expires, and therefore has no method Close.
type Parking struct{}

func (*Parking) Open(context.Context, runtime.NoConfig) (*SeatOutput, runtime.Lease[int], error) {
	return &SeatOutput{Number: 3}, runtime.Lease[int]{Session: 3, RenewAt: time.Now().Add(30 * time.Minute)}, nil
}

func (*Parking) Renew(_ context.Context, _ runtime.NoConfig, place int) (runtime.Lease[int], error) {
	return runtime.Lease[int]{}, fmt.Errorf("parking space %d was given to another user", place)
}

func ephemeralProvider(reg runtime.EphemeralRegistration) provider.Interface {
	p, err := runtime.New(runtime.Definition{Name: "demo", EphemeralResources: map[string]runtime.EphemeralRegistration{"it": reg}})
	if err != nil {
		panic(err)
	}
	return p
}

func open(p provider.Interface, config attrs) provider.OpenEphemeralResourceResponse {
	opened := p.OpenEphemeralResource(context.Background(), provider.OpenEphemeralResourceRequest{TypeName: "demo_it", Config: cty.ObjectVal(config)})
	printed(opened.Diagnostics)
	return opened
}
