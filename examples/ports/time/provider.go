package timeport

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

//go:generate go run ../../../cmd/describe Offset OffsetOutput Rotating RotatingOutput Sleep SleepOutput Static StaticOutput ParseDuration ParseRFC3339 ParseUnixTimestamp

// Clock returns the current time.
type Clock func() time.Time

// now returns the current time in UTC, without the fraction of a second.
func (c Clock) now() Timestamp { return Timestamp{c().UTC().Truncate(time.Second)} }

// or returns configured, or the current time if configured is nil.
func (c Clock) or(configured *Timestamp) Timestamp {
	if configured == nil {
		return c.now()
	}
	return *configured
}

// New returns the provider. Resources take the current time from clock.
func New(clock Clock) (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name:   "time",
		Config: runtime.MakeConfig(func(context.Context, *struct{}) (Clock, error) { return clock, nil }),
		Resources: map[string]runtime.ResourceRegistration{
			"offset":   runtime.MakeResource[Offset, *OffsetOutput, Clock](),
			"rotating": runtime.MakeResource[Rotating, *RotatingOutput, Clock](),
			"sleep":    runtime.MakeResource[Sleep, *SleepOutput, Clock](),
			"static":   runtime.MakeResource[Static, *StaticOutput, Clock](),
		},
		Functions: map[string]runtime.FunctionRegistration{
			"duration_parse":       runtime.MakeFunc(ParseDuration, parseDurationSpec),
			"rfc3339_parse":        runtime.MakeFunc(ParseRFC3339, parseRFC3339Spec),
			"unix_timestamp_parse": runtime.MakeFunc(ParseUnixTimestamp, parseUnixTimestampSpec),
		},
	})
}

// inState has the Read and Delete methods of a resource that exists only in the state.
type inState[Out any] struct{}

// Read returns the object as it is in the state.
func (inState[Out]) Read(_ context.Context, _ Clock, prior Out) (Out, error) { return prior, nil }

// Delete has nothing to delete.
func (inState[Out]) Delete(context.Context, Clock, Out) error { return nil }
