package sshhost_test

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// TestMain has three times as many tests at a time as are asked for: most of the time
// they wait for a server. A fuzzer would start as many processes.
func TestMain(m *testing.M) {
	flag.Parse()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	parallel := flag.Lookup("test.parallel")
	if n, err := strconv.Atoi(parallel.Value.String()); err == nil && n > 1 && !fuzzing {
		_ = parallel.Value.Set(strconv.Itoa(3 * n)) // a number is one
	}
	os.Exit(m.Run())
}
