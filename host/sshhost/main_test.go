package sshhost_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain has more tests run at the same time than there are processors: most of
// the time they wait for a server. A fuzzer would start as many processes.
func TestMain(m *testing.M) {
	flag.Parse()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue && !fuzzing {
		_ = f.Value.Set("12") // a number is one
	}
	os.Exit(m.Run())
}
