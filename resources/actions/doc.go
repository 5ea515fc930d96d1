// Package actions has the actions on a whole host: posix_wait, which waits until the
// host is reachable, and posix_reboot.
//
// It decides whether a host is reachable, whether it has rebooted, and which progress
// messages are reported. Package resources registers the actions.
//
// Invariants: after an error of a booting host, attempts continue until the timeout. An
// unchanged error is reported at most once a minute. The local host is never rebooted.
//
// Elsewhere: package command has posix_command; package service has posix_service_restart.
package actions

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Wait Reboot
