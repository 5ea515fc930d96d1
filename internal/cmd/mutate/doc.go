// Command mutate measures how many deliberate mistakes in a package its tests
// find. It changes one expression or statement of the package (a mutant), runs the
// tests, and counts the mutant as killed when they fail:
//
//	go run ./internal/cmd/mutate -short ./objchange ./identity
//
// It tries a sample of -n mutants of each package. The sample depends on -seed and on
// what each mutant changes in which function, not on lines or files: a change elsewhere
// does not change the sample, so that two versions of a package or of its tests can be
// compared. Mutants that do not compile are replaced by the next ones.
//
// The tests are those of the package and of the packages below it, or of -tests,
// as far as they import the package. They run on the original first, and must
// pass. A test run that exceeds five times the duration of that one, plus 30 s,
// is stopped and counts as killed.
//
// With -json the outcomes are written to a file after each package, and -only
// tries the survivors in such a file again, for example those of the fast tier in
// the ci tier:
//
//	go run ./internal/cmd/mutate -short -json fast.json ./guard
//	go run ./internal/cmd/mutate -only fast.json -json ci.json ./guard
//
// An interrupt ends the run with a report of the outcomes so far.
//
// A mutant can do things that the original never does: kill or remove the wrong thing,
// loop, or use all memory. -exec is passed to go test and starts each test binary
// by another program, for packages that need to be contained:
//
//	go run ./internal/cmd/mutate -exec 'unshare --pid --fork --kill-child' ./host/local
//
// A survivor is not always a gap in the tests: some mutants are equivalent to the
// original, or change only a limit or a message that nothing depends on.
//
// Elsewhere: package tier decides which tests run in which tier.
package main
