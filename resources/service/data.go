package service

import (
	"context"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup lists the services of a host, or its systemd units of another type, with
// their states. It supports systemd and OpenRC, and runs one command.
//
// Templates and aliases of units are not listed.
type Lookup struct {
	Selection

	// Type of the units, such as `timer`. Must be `service` for OpenRC. Defaults to
	// `service`.
	Type string
}

// LookupOutput is the list of services.
type LookupOutput struct {
	Host *string `tf:",computed"`

	// Service manager of the host: `systemd` or `openrc`.
	Manager string

	// Services, sorted by name.
	Services []Info
}

var (
	_ runtime.TypedDataSource[*LookupOutput, *lifecycle.Hosts] = (*Lookup)(nil)
	_ runtime.Defaulter                                        = (*Lookup)(nil)
	_ runtime.Constrainer                                      = (*Lookup)(nil)
)

// DataSource is the registration of posix_services.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *LookupOutput, *lifecycle.Hosts]()
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
func (l *Lookup) Read(ctx context.Context, hosts *lifecycle.Hosts) (*LookupOutput, error) {
	h, manager, found, err := l.list(ctx, hosts, l.Type)
	if err != nil {
		return nil, err
	}
	if manager == nameOpenRC && l.Type != "service" {
		return nil, diag.AttributeErrorf("type", "host %s has OpenRC, which has services alone: leave type unset", h.Name())
	}
	return &LookupOutput{Host: new(h.Name()), Manager: manager, Services: found}, nil
}
