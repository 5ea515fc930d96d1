// Package faulttest injects faults into runs of the whole provider under a real OpenTofu
// or Terraform: processes are killed or interrupted, connections break, file systems are
// full, and servers reject clients. It also checks that no file except for the managed ones, no
// log and no process list contains secrets of such runs; sensitive values may be in states
// and plans.
//
// It has only tests, which need Linux. Of the tests with faults, the fast tier runs only one, a kill test
// without OpenTofu and Terraform; make ci runs some of the others, and make check-all runs all.
//
// Elsewhere: package resources tests faults of one host operation at a time; host/sshhost
// tests faults of a connection without a provider; resources/actions tests interrupted
// actions.
package faulttest
