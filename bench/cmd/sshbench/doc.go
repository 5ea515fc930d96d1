// Command sshbench measures whole OpenTofu runs on a host over SSH: apply of N
// files of 1 KiB, a plan with nothing to do, an update of all of them, destroy; on
// this machine without SSH, by SSH on loopback, and by SSH over a line with a round
// trip of 20 ms; beside what tar and rsync need for the same files on that line.
//
//	go run ./cmd/sshbench -files 200
//	go run ./cmd/sshbench -files 200x5,2000 -write ../docs/benchmarks.md
//
// The server is OpenSSH's, the line a proxy that delays, the engine the one that
// the repository's tests use. After each step the files are compared byte for
// byte: a wrong result is never timed.
//
// Elsewhere: the server is package sshdtest, the line package nettest; runs on this
// machine alone are measured by cmd/applybench.
package main
