package acctest

import (
	"os"
	"runtime/debug"
	"sync"
)

// seldom is how far the heap of a test grows between two collections, in percent.
// A test case needs about a megabyte and soon leaves all of it: at the usual 100,
// collecting takes a third of its time.
const seldom = 400

// collectSeldom sets that once a process, unless GOGC says what is wanted.
var collectSeldom = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(seldom)
	}
})
