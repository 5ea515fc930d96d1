//go:build linux

// Command runbench measures whole runs of OpenTofu or Terraform, and prints a table for a
// section of docs/benchmarks.md:
//
//	go run ./cmd/runbench files -n 1000x3,5000x1     # files on the local host, against baselines
//	go run ./cmd/runbench shapes -n 5000x1           # what the shape of an object costs the engine
//	go run ./cmd/runbench ssh -n 200x5,2000x1        # files over SSH, against tar, rsync and Ansible
//	go run ./cmd/runbench tree -n 10000x3            # a posix_tree over SSH, against rsync and Ansible
//	go run ./cmd/runbench large -n 1024x3            # a large file over SSH, against scp
//
// The argument of -n is a list of FILESxRUNS: a number of files (for large, the size in MiB) and the number
// of runs with it. The best run counts; ratios are calculated within each round, and the table has
// their median and range. -write replaces the section of the page. The contenders take turns. After each step
// the result is checked, and a wrong result is an error.
//
// The engine is the one that the repository's tests use; POSIX_TF names a different one. For
// files, shapes and ssh, the engine starts providers through this program (measure.go), which
// reports their CPU time and peak memory. Over SSH, the server is OpenSSH's (package sshdtest), and a proxy delays
// the data (package nettest).
//
// Elsewhere: single RPCs are measured by cmd/ratios.
package main
