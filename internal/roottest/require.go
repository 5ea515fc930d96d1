package roottest

import (
	"errors"
	"os"
)

// errImpossible is for what no installation of anything helps against, and
// errMissing for programs that can be installed.
var (
	errImpossible = errors.New("there can be no root here")
	errMissing    = errors.New("run make prepare as root on Debian, or install it by hand")
	errExposed    = errors.New("this test uses the host local outside of a root: call roottest.Require first")
)

// refuse says whether tests that need a root fail where there is none, or are
// skipped. Where CI is set they fail, as nobody would notice otherwise. Where
// POSIX_ACC=require is set, as make does, they fail if a root is possible and
// could not be made.
func refuse(err error) bool {
	fail := os.Getenv("CI") != ""
	if !errors.Is(err, errImpossible) {
		fail = fail || !errors.Is(err, errMissing) || os.Getenv("POSIX_ACC") == "require"
	}
	return fail
}
