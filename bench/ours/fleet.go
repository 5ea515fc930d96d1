package ours

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Fleet is what is configured. It is in memory only, and so what is planned, or
// was there before, is taken for what there is.
type Fleet struct {
	Name string
	Machines
}

// FleetOutput is what there is.
type FleetOutput struct {
	Name string
	Machines
	Size int64
}

// Machines are what inputs and outputs share: objects in each kind of
// collection.
type Machines struct {
	Machines []Machine          `tf:",optional"`
	Named    map[string]Machine `tf:",optional"`
	Spare    []Machine          `tf:",optional,set"`
}

// Machine is one of them.
type Machine struct {
	Host  string
	Port  int64
	Zone  *string
	Probe *Probe
	Disks []Disk `tf:",optional"`
}

// Probe is how to find out whether a machine is well.
type Probe struct {
	Path    string
	Seconds int64
}

// Disk is a disk of a machine.
type Disk struct {
	Name      string
	Gigabytes int64
	Medium    *string
}

var _ runtime.TypedResource[Fleet, *FleetOutput, runtime.NoConfig] = (*Fleet)(nil)

// SchemaVersion is part of [runtime.TypedResource].
func (f *Fleet) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (f *Fleet) ReplaceFields() []string { return []string{"name"} }

// Create is part of [runtime.TypedResource].
func (f *Fleet) Create(context.Context, runtime.NoConfig) (*FleetOutput, error) {
	return f.made(), nil
}

// Read is part of [runtime.TypedResource].
func (f *Fleet) Read(_ context.Context, _ runtime.NoConfig, prior *FleetOutput) (*FleetOutput, error) {
	now := *prior
	now.Size = now.count()
	return &now, nil
}

// Update is part of [runtime.TypedResource].
func (f *Fleet) Update(context.Context, runtime.NoConfig, runtime.Prior[Fleet, *FleetOutput]) (*FleetOutput, error) {
	return f.made(), nil
}

// Delete is part of [runtime.TypedResource].
func (f *Fleet) Delete(context.Context, runtime.NoConfig, *FleetOutput) error { return nil }

func (f *Fleet) made() *FleetOutput {
	return &FleetOutput{Name: f.Name, Machines: f.Machines, Size: f.count()}
}

func (m *Machines) count() int64 { return int64(len(m.Machines) + len(m.Named) + len(m.Spare)) }
