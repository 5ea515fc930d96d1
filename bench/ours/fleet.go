package ours

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Fleet is a configured fleet. It exists only in memory: the plan or the prior state is the
// real object.
type Fleet struct {
	Name string
	Nodes
}

// FleetOutput is an existing fleet.
type FleetOutput struct {
	Name string
	Nodes
	Size int64
}

// Nodes has fields that inputs and outputs share: nodes in each kind of collection.
type Nodes struct {
	Nodes []Node          `tf:",optional"`
	Named map[string]Node `tf:",optional"`
	Spare []Node          `tf:",optional,set"`
}

// Node is a node of a fleet.
type Node struct {
	Host  string
	Port  int64
	Zone  *string
	Probe *Probe
	Disks []Disk `tf:",optional"`
}

// Probe is a health check of a node.
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

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (f *Fleet) ReplaceFields() []string { return []string{"name"} }

// Create implements [runtime.TypedResource].
func (f *Fleet) Create(context.Context, runtime.NoConfig) (*FleetOutput, error) {
	return f.made(), nil
}

// Read implements [runtime.TypedResource].
func (f *Fleet) Read(_ context.Context, _ runtime.NoConfig, prior *FleetOutput) (*FleetOutput, error) {
	now := *prior
	now.Size = now.count()
	return &now, nil
}

// Update implements [runtime.TypedResource].
func (f *Fleet) Update(context.Context, runtime.NoConfig, runtime.Prior[Fleet, *FleetOutput]) (*FleetOutput, error) {
	return f.made(), nil
}

// Delete implements [runtime.TypedResource].
func (f *Fleet) Delete(context.Context, runtime.NoConfig, *FleetOutput) error { return nil }

func (f *Fleet) made() *FleetOutput {
	return &FleetOutput{Name: f.Name, Nodes: f.Nodes, Size: f.count()}
}

func (m *Nodes) count() int64 { return int64(len(m.Nodes) + len(m.Named) + len(m.Spare)) }
