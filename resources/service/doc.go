// Package service is posix_service, posix_systemd_unit, the list of services, and the
// action that restarts them.
//
// It decides whether a service is enabled and runs, under systemd, OpenRC and System V's
// init, and how it gets a changed configuration. Package resources registers its types.
//
// Invariants:
//
//   - The state of a service is read in one round trip, with the service manager that it
//     belongs to.
//   - Services that have the desired state are not changed. posix_service restarts or reloads a
//     running service only if a trigger has changed, or on create if there are triggers.
//   - A start is only successful if the service runs afterwards, or is a oneshot service that has
//     not failed. Otherwise, the error has the last lines of its log.
//   - systemd reloads changed unit files before it starts a unit.
//   - If the service manager does not run, as in an image that is being built, units are
//     installed, enabled and masked, and nothing is started.
//
// Its tests run OpenRC, init scripts, those parts of systemd that need no running service manager, and a
// booted systemd, in roots (package roottest). The fast tier, which has no roots, replaces systemd
// with transcripts in testdata. They contain the scripts of this package: after changing one,
// record them again, as root on Debian, with
//
//	TRANSCRIPT_RECORD=1 go test ./resources/service -run 'RecordedUnit|Systemd'
//
// Elsewhere: package remotecmd runs programs; the function systemd_unit of package
// functions renders the content of a unit.
package service

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Service Output SystemdUnit UnitOutput UnitIdentity Selection Lookup LookupOutput Info Filter Restart
