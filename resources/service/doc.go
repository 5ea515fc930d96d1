// Package service is what runs on a host without being asked for: posix_service,
// posix_systemd_unit, the search for services, and the action that restarts them.
//
// It decides what it means that a service is enabled and that it runs, under
// systemd and under OpenRC, and what has to happen to a service when something
// that it reads has changed. Package resources registers its types.
//
// Invariants:
//
//   - A service is looked at in one round trip, with the manager that it belongs to.
//   - Nothing is changed that is as wanted already: a service is not started twice,
//     and none is restarted unless a trigger asks for it.
//   - That a service was started is only said of one that is seen to run after it,
//     and of one that does not, the error has the last lines of its log.
//   - systemd reads its unit files again before it starts anything from them.
//   - Where the manager itself does not run, as in an image that is being built, units
//     are installed, enabled and masked, and nothing is started.
//
// Its tests run OpenRC and the parts of systemd that need no running manager for real,
// in a root of their own (package roottest). What needs a running systemd answers
// from transcripts in testdata, which were recorded on Debian 12. To record them
// anew, have a machine with systemd of which nothing else is wanted, as a virtual one, that
// root can log in to with a key, and run
//
//	TRANSCRIPT_RECORD=1 SERVICE_HOST=root@192.0.2.7:22 go test ./resources/service -run Systemd
//
// where known_hosts and the SSH agent or configuration know that machine. The tests
// write units to it whose names begin with posixform-, and worker.service, and remove
// them. A transcript has the scripts of this package as they were: who changes one
// records anew.
//
// Elsewhere: how programs are run is package remotecmd; the content of a unit can be
// written by the function systemd_unit of package functions.
package service

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Service Output SystemdUnit UnitOutput UnitIdentity Selection Lookup LookupOutput Info Filter Restart
