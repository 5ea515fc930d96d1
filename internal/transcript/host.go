package transcript

import (
	"os"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// Variable is the environment variable that makes a test record.
const Variable = "TRANSCRIPT_RECORD"

// Recording reports whether tests run on their real systems, to record them.
func Recording() bool { return os.Getenv(Variable) != "" }

// Options say what is recorded, and what else the host has that answers.
type Options struct {
	// Real is the host to record. It is asked for then alone; nil is one of which
	// the transcript is written by hand.
	Real func() (host.Host, error)

	// Looks says which calls change nothing, by the arguments. Nil is none.
	Looks func(args []string) bool

	// Watch are files and directories whose content the transcript has: as it is at
	// first, and what calls change of it. What is written to the host otherwise is
	// not recorded, as the test writes it again.
	Watch []string

	// Omit says which lines of standard output are not recorded, such as those that are
	// about the host on which the root runs. Nil is none.
	Omit func(line string) bool

	// Versions are commands whose answers the head of the transcript has.
	Versions [][]string

	// Machine is what the answering host is like besides: its name, which is that of
	// this machine where none is given, its users and groups.
	Machine memory.Config
}

// Host is the host of a transcript: one that answers from the file, or, when the
// test records, the real one.
func Host(tb testing.TB, path string, o Options) host.Host {
	tb.Helper()
	if o.Looks == nil {
		o.Looks = func([]string) bool { return false }
	}
	if Recording() && o.Real != nil {
		return record(tb, path, o)
	}
	return replay(tb, path, o.Machine)
}
