//go:build !linux

package roottest

import (
	"fmt"
)

func within(Options) (int, error) {
	return 0, fmt.Errorf("%w: only Linux has namespaces", errImpossible)
}

func inside() bool { return false }
