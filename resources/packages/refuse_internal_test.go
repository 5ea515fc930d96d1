package packages

import (
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/memory"
)

// TestNotRoot has package managers that want root say how to be it.
func TestNotRoot(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web"})
	for said, want := range map[string]bool{
		"E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?": true,
		"Error: This command has to be run with superuser privileges":                              true,
		"ERROR: Unable to lock database: Permission denied":                                        true,
		"error: you cannot perform this operation unless you are root.":                            true,
		"E: Unable to correct problems, you have held broken packages.":                            false,
	} {
		cause := errors.New(said)
		err := (&shop{h: h, manager: apt{}}).unfulfilled(wish{name: "hello"}, installed{}, false, cause)
		if !errors.Is(err, cause) || strings.Contains(err.Error(), "set sudo = {} for host web") != want {
			t.Errorf("%q: %v", said, err)
		}
	}
}
