// Package actions has the actions on a machine as a whole: posix_wait, until it answers, and
// posix_reboot, which restarts it.
//
// It decides what an answer is, by what a restart is told from a machine that went on,
// and what is said meanwhile. Package resources registers them.
//
// Invariants: what a machine answers while it starts is never the last word: it is asked
// until the time is over. What is reported is bounded, however long that takes. The
// machine that the provider runs on is not restarted.
//
// Elsewhere: posix_command is package command, posix_service_restart package service.
package actions

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Wait Reboot
