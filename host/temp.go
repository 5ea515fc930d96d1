package host

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode/utf8"
)

// Temporary files have names that people and programs can tell, and the same
// one for the same target: whether a killed writer left one behind is then one
// question about one name, not a search through the directory.
const (
	tempPrefix = "."
	tempSuffix = ".posix-tmp"
	tempMax    = 80 // of the target's name, what is repeated in the temporary one
)

// TempPath is where an implementation of [Files] builds what will replace what
// is at target: in the same directory, under a name derived from the target's.
// variant tells apart temporary files of one target; the empty one is the
// usual. The name never exceeds 143 bytes, the shortest limit among common
// file systems, for variants of up to 32.
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

// IsTempPath reports whether path has the form of [TempPath]. Resources must
// not use such a name: it would be removed as the left-over of another file.
func IsTempPath(p string) bool {
	name := path.Base(p)
	i := strings.LastIndex(name, tempSuffix)
	if i <= 0 || !strings.HasPrefix(name, tempPrefix) {
		return false
	}
	rest := name[i+len(tempSuffix):]
	return rest == "" || rest[0] == '-'
}

// shorten cuts s to at most n bytes, not within a character: some file systems
// take only valid UTF-8.
func shorten(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
