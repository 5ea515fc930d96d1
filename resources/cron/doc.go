// Package cron is posix_cron: a command that a host runs at times, as a file in
// /etc/cron.d.
//
// It decides what a file says (entry.go) and which schedules there are (schedule.go),
// both as pure functions, and when a file that is there already is ours to manage.
// Package resources registers it.
//
// Invariants: what cron would read in another way than it was configured is an error of
// the plan: the shell gets the command, and the command gets the environment, as they
// are configured. Every difference of a file from what it is to be is seen, also in a
// comment.
//
// Elsewhere: the file itself is package dropin; crontabs of users, of which only a
// part would be ours, are a matter for posix_file_block.
package cron

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Cron Output
