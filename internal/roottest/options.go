package roottest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Options configures a root. The zero value is a minimal Debian with apt.
type Options struct {
	// Packages has Debian packages to install in addition to the minimal
	// system. Each set of packages is a base, which is built once.
	Packages []string

	// PrivateNet gives the root a network namespace with a loopback interface
	// only. /proc/sys/net is writable then. Packages cannot be downloaded.
	PrivateNet bool
}

// packages returns the sorted set of packages.
func (o Options) packages() []string {
	sorted := slices.Clone(o.Packages)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// form is incremented when the way to build a base changes, so that older bases
// are not used.
const form = "1"

// baseName returns the name of the directory of a base.
func baseName(codename string, packages []string) string {
	if len(packages) == 0 {
		return codename + "-minimal-" + form
	}
	sum := sha256.Sum256([]byte(form + "\n" + strings.Join(packages, "\n")))
	return codename + "-" + hex.EncodeToString(sum[:])[:12]
}
