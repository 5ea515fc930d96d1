package ours

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Fleet is what is configured. It is in memory only, and so what is planned, or
// was there before, is taken for what there is.
type Fleet struct {
	Name string
	Nodes
}

// FleetOutput is what there is.
type FleetOutput struct {
	Name string
	Nodes
	Size int64
}

// Nodes are what inputs and outputs share: objects in each kind of
// collection.
type Nodes struct {
	Nodes []Node          `tf:",optional"`
	Named map[string]Node `tf:",optional"`
	Spare []Node          `tf:",optional,set"`
}

// Node is one of them.
type Node struct {
	Host  string
	Port  int64
	Zone  *string
	Probe *Probe
	Disks []Disk `tf:",optional"`
}

// Probe is how to find out whether a node is well.
type Probe struct {
	Path    string
	Seconds int64
}

// Disk is a disk of a node.
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
	return &FleetOutput{Name: f.Name, Nodes: f.Nodes, Size: f.count()}
}

func (m *Nodes) count() int64 { return int64(len(m.Nodes) + len(m.Named) + len(m.Spare)) }
