package sshhost_test

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// TestMain triples the number of parallel tests, because most of the time they wait for a
// server. It does not do so for fuzzing, which would start as many processes.
func TestMain(m *testing.M) {
	flag.Parse()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	parallel := flag.Lookup("test.parallel")
	if n, err := strconv.Atoi(parallel.Value.String()); err == nil && n > 1 && !fuzzing {
		_ = parallel.Value.Set(strconv.Itoa(3 * n)) // a number is always valid
	}
	os.Exit(m.Run())
}
