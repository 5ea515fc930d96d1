package roottest

import (
	"errors"
	"os"
)

// errImpossible means that the host cannot have roots, errMissing that a
// program must be installed.
var (
	errImpossible = errors.New("roots are not possible on this host")
	errMissing    = errors.New("run make prepare as root on Debian, or install it manually")
	errExposed    = errors.New("this test uses the host local outside of a root: call roottest.Require first")
)

// refuse reports whether tests that need a root fail without one, instead of
// being skipped. They fail if CI is set, and if a root is possible and
// POSIX_ACC=require is set, as by make.
func refuse(err error) bool {
	fail := os.Getenv("CI") != ""
	if !errors.Is(err, errImpossible) {
		fail = fail || !errors.Is(err, errMissing) || os.Getenv("POSIX_ACC") == "require"
	}
	return fail
}
