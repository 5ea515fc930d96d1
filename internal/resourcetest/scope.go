package resourcetest

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// Scope returns a host as methods of a resource type get it, in a run of its own.
func Scope(tb testing.TB, h host.Host) *lifecycle.Scope {
	tb.Helper()
	hosts, err := lifecycle.NewHosts(h)
	if err != nil {
		tb.Fatal(err)
	}
	scope, err := hosts.Scope(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return scope
}
