//go:build !linux

package roottest

import (
	"context"
	"fmt"
	"testing"
)

// errElsewhere is the error on operating systems other than Linux.
var errElsewhere = fmt.Errorf("%w: namespaces require Linux", errImpossible)

type sshdRoot struct{}

func within(Options) (int, error) { return 0, errElsewhere }

func inside() bool { return false }

func start(tb testing.TB, _ Options) (*Root, error) {
	tb.Helper()
	return nil, errElsewhere
}

func (sshdRoot) run(context.Context, []string) (string, error) { return "", errElsewhere }

func (sshdRoot) log() string { return "" }

func (sshdRoot) boots() int { return 0 }

func (sshdRoot) waitBoot(int) error { return errElsewhere }
