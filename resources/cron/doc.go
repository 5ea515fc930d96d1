// Package cron is the resource posix_cron: a command with its schedule, as a file in
// /etc/cron.d.
//
// It decides the content of the file (entry.go) and the valid schedules (schedule.go),
// both as pure functions, and when an existing file is adopted.
//
// Invariants: a configuration that cron would read differently is an error of the plan, so
// the shell gets the command, and the command gets the environment, exactly as
// configured. Every difference in the file is detected, including in comments.
//
// Elsewhere: package dropin writes the file; posix_file_block can manage jobs in
// crontabs of users.
package cron

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Cron Output
