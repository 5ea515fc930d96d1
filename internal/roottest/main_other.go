//go:build !linux

package roottest

import (
	"context"
	"fmt"
	"testing"
)

// errElsewhere says what the other systems lack.
var errElsewhere = fmt.Errorf("%w: only Linux has namespaces", errImpossible)

type machine struct{}

func within(Options) (int, error) { return 0, errElsewhere }

func inside() bool { return false }

func start(tb testing.TB, _ Options) (*Root, error) {
	tb.Helper()
	return nil, errElsewhere
}

func (machine) run(context.Context, []string) (string, error) { return "", errElsewhere }

func (machine) log() string { return "" }
