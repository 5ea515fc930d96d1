// Package faulttest injects faults into runs of the whole provider under a real OpenTofu
// or Terraform: processes are killed or interrupted, connections break, file systems are
// full, servers reject clients. It also checks that no file, log or process list contains
// secrets of such runs, except for the sensitive values in states and plans.
//
// It has only tests, which need Linux. Of the tests with faults, the fast tier runs only one, a kill test
// without OpenTofu and Terraform; make ci runs some of the others, and make check-all runs all.
//
// Elsewhere: faults of one host operation at a time are tests of package resources;
// faults of a connection without a provider are tests of host/sshhost; interrupted actions
// are tests of resources/actions.
package faulttest
