package service

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// script is the part of a manager that OpenRC and System V's init share: services are scripts
// in /etc/init.d, which cannot be masked and have no log.
type script struct {
	h    host.Host
	name Name

	lastOutput string // output of the last command, if it failed
}

// checkUnit returns nil, as scripts do not declare their features.
func (m *script) checkUnit(state, desiredState) error { return nil }

func (m *script) mask(context.Context, bool) error { return nil } // masked = true is not supported, and services are never masked

// log returns the output of the last command that failed, as no logs are kept.
func (m *script) log(context.Context) string { return m.lastOutput }

func (m *script) run(ctx context.Context, args ...string) error {
	output, err := remotecmd.Run(ctx, m.h, args...)
	if m.lastOutput = ""; err != nil {
		m.lastOutput = output.Stdout + output.Stderr
	}
	return remotecmd.WithRootHint(m.h, "System services", err)
}
