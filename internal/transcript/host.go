package transcript

import (
	"os"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// Variable is the environment variable that enables recording.
const Variable = "TRANSCRIPT_RECORD"

// Recording reports whether tests run on real systems and record them.
func Recording() bool { return os.Getenv(Variable) != "" }

// Options configure the recording and the replaying host.
type Options struct {
	// Real returns the host to record. It is called only while recording; nil means
	// that the transcript is written by hand.
	Real func() (host.Host, error)

	// Looks reports whether a call with the arguments changes nothing. Nil means never.
	Looks func(args []string) bool

	// Watch are files and directories whose content is recorded: initially, and after
	// each call. Other writes to the host are not recorded, because the test repeats
	// them.
	Watch []string

	// Omit reports whether a line of standard output is not recorded, such as one about
	// the host that runs the root. Nil means never.
	Omit func(line string) bool

	// Versions are commands whose output is recorded at the top of the transcript.
	Versions [][]string

	// Host configures the replaying host: its users, its groups and its name, by
	// default that of the local host.
	Host memory.Config
}

// Host returns the host of a transcript: the replaying host, or the real one while
// recording.
func Host(tb testing.TB, path string, o Options) host.Host {
	tb.Helper()
	if o.Looks == nil {
		o.Looks = func([]string) bool { return false }
	}
	if Recording() && o.Real != nil {
		return record(tb, path, o)
	}
	return replay(tb, path, o.Host)
}
