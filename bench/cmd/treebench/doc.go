// Command treebench measures one posix_tree of thousands of files on a host over SSH, by whole
// OpenTofu runs over a line with a round trip of 20 ms: apply of all, a plan with nothing to do, an
// update of one file in a hundred; beside what rsync needs for the same on that line, and what
// OpenTofu needs for a tree without files.
//
//	go run ./cmd/treebench -files 5000
//	go run ./cmd/treebench -files 5000 -runs 3 -write ../docs/benchmarks.md
//
// The server is OpenSSH's, the line a proxy that delays. All are measured in turns, in one run of this
// program, and the best of each counts: what disturbs a run only adds to it. After each step the files are
// compared.
//
// Elsewhere: the server is package sshdtest, the line package nettest; many files as
// resources of their own are measured by cmd/sshbench.
package main
