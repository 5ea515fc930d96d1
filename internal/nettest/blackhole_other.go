//go:build !linux

package nettest

import "errors"

func blackHole() (string, func(), error) { return "", nil, errors.ErrUnsupported }
