package roottest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Options say what a root is like. The zero value is a minimal Debian with apt.
type Options struct {
	// Packages are Debian packages that the root has, besides those without which
	// there is no system and apt. Each set of packages is a base of its own: it is
	// installed once, and kept.
	Packages []string

	// PrivateNet gives the root a network of its own, with nothing but a loopback
	// interface that is up. /proc/sys/net is then the root's, and can be written.
	// Packages cannot be fetched there.
	PrivateNet bool
}

// packages is the set, in one order.
func (o Options) packages() []string {
	sorted := slices.Clone(o.Packages)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// form is counted up when what is done to a base changes, so that those that
// were made in another way are not taken.
const form = "1"

// baseName is the name of the folder that has the base.
func baseName(codename string, packages []string) string {
	if len(packages) == 0 {
		return codename + "-minimal-" + form
	}
	sum := sha256.Sum256([]byte(form + "\n" + strings.Join(packages, "\n")))
	return codename + "-" + hex.EncodeToString(sum[:])[:12]
}
