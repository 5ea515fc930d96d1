package service

import (
	"context"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup lists the services of a host with their states, or other units of
// systemd, by one command. It works with systemd and OpenRC.
//
// Templates of units are no services and are not listed; neither are other names
// (aliases) of a unit.
type Lookup struct {
	Selection

	// The type of the units, such as `timer`. The default is `service`, and OpenRC has
	// nothing else.
	Type string
}

// LookupOutput is what was found.
type LookupOutput struct {
	Host *string `tf:",computed"`

	// What the services belong to: `systemd` or `openrc`.
	Manager string

	// The services, sorted by name.
	Services []Info
}

var (
	_ runtime.TypedDataSource[*LookupOutput, *target.Hosts] = (*Lookup)(nil)
	_ runtime.Defaulter                                     = (*Lookup)(nil)
	_ runtime.Constrainer                                   = (*Lookup)(nil)
)

// DataSource is the registration of posix_services.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *LookupOutput, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (l *Lookup) Defaults() { l.Type = "service" }

// Constraints is part of [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	types := make([]any, len(unitTypes))
	for i, kind := range unitTypes {
		types[i] = kind
	}
	return append((*Selection)(nil).Constraints(), runtime.OneOf("type", types...))
}

// Read is part of [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *target.Hosts) (*LookupOutput, error) {
	h, manager, found, err := l.list(ctx, hosts, l.Type)
	if err != nil {
		return nil, err
	}
	if manager == nameOpenRC && l.Type != "service" {
		return nil, diag.AttributeErrorf("type", "host %s has OpenRC, which has services alone: leave type unset", h.Name())
	}
	return &LookupOutput{Host: new(h.Name()), Manager: manager, Services: found}, nil
}
