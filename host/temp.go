package host

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode/utf8"
)

// The name of a temporary file is derived from its target, so that looking for the leftover
// of a killed writer is one lookup and not a search of the directory. People and programs
// can recognise it.
const (
	tempPrefix = "."
	tempSuffix = ".posix-tmp"
	tempMax    = 80 // length of the part of the target's name that is repeated
)

// TempPath returns the path at which an implementation of [Files] writes the replacement of
// target: in the same directory, with a name derived from the target's. variant
// distinguishes temporary files of one target; usually it is empty. With a variant of up to
// 32 bytes, the name has at most 143 bytes, the shortest limit of common file systems.
func TempPath(target, variant string) string {
	dir, name := path.Split(target)
	if len(name) > tempMax {
		sum := sha256.Sum256([]byte(name))
		name = shorten(name, tempMax-17) + "~" + hex.EncodeToString(sum[:8])
	}
	if variant != "" {
		variant = "-" + variant
	}
	return dir + tempPrefix + name + tempSuffix + variant
}

// IsTempPath reports whether path has the form of [TempPath]. Resources must not use such a
// name, because it would be removed as a leftover of another file.
func IsTempPath(p string) bool {
	name := path.Base(p)
	i := strings.LastIndex(name, tempSuffix)
	if i <= 0 || !strings.HasPrefix(name, tempPrefix) {
		return false
	}
	rest := name[i+len(tempSuffix):]
	return rest == "" || rest[0] == '-'
}

// shorten cuts s to at most n bytes without splitting a character: some file systems accept
// only valid UTF-8.
func shorten(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
