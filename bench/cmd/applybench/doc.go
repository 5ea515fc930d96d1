//go:build linux

// Command applybench measures whole OpenTofu runs: apply of N small files, a
// plan with nothing to do, destroy; by the provider of this repository and by
// the two baselines with real files, in turns.
//
//	go run ./cmd/applybench -n 1000
//	go run ./cmd/applybench -n 1000x5 -contenders floor,ours
//	go run ./cmd/applybench -n 2 -contenders all         # each one works
//	go run ./cmd/applybench -write ../docs/benchmarks.md
//
// The engine is the one that the repository's tests use; POSIX_TF names another.
// It starts each provider through this same program (wrap.go),
// which reports the processor time and the peak memory of the provider when it
// ends. After each phase the files are checked: a wrong result is never timed.
//
// Elsewhere: single RPCs are measured by cmd/ratios.
package main
