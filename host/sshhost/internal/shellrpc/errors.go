package shellrpc

import (
	"errors"
	"fmt"
)

var (
	errNoStat = fmt.Errorf("the host has no stat command: %w", errors.ErrUnsupported)
	errNoHash = fmt.Errorf("the host has no command for SHA-256 (sha256sum, shasum, sha256 or openssl): %w", errors.ErrUnsupported)
)

var errMoving = errors.New("the file was changed repeatedly while it was being read")

// unsupported is what a function prints if the host lacks the tool.
const unsupported = "unsupported"
