package service

import (
	"context"
	"iter"

	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Filter lists the services of a host for import, with one command. Unless configured
// otherwise, these are the services that are enabled or running.
type Filter struct{ Selection }

var _ runtime.TypedLister[*Output, *lifecycle.Hosts] = (*Filter)(nil)

// Lister is the registration of the search for services.
func Lister() runtime.ListRegistration {
	return runtime.MakeLister[Filter, *Output, *lifecycle.Hosts]()
}

// List is part of [runtime.TypedLister].
func (f *Filter) List(ctx context.Context, hosts *lifecycle.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*Output], error] {
	return func(yield func(runtime.Listed[*Output], error) bool) {
		h, manager, found, err := f.list(ctx, hosts, "service")
		if err != nil {
			yield(runtime.Listed[*Output]{}, err)
			return
		}
		for _, i := range found {
			if f.Enabled == nil && f.Running == nil && !i.Enabled && !i.Running {
				continue
			}
			out := &Output{Host: new(h.Name()), Name: Name(i.Name), Enabled: &i.Enabled, Running: &i.Running, Status: i.Status}
			if i.Masked {
				out.Masked = &i.Masked
			}
			// One that is not loaded is looked at when the whole of it is wanted, as an
			// import does.
			complete := manager == nameOpenRC || i.Status != nil
			if complete {
				out.Manager = manager
			}
			if !yield(runtime.Listed[*Output]{DisplayName: i.Name + " on " + h.Name(), Object: out, Complete: complete}, nil) {
				return
			}
		}
	}
}
