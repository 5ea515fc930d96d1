package file

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Write-only content leaves one trace: PBKDF2 of its SHA-256, with a salt of its
// own. The salt makes tables useless and hides that two files are equal; the
// rounds make each guess at a short secret cost milliseconds. They are bounded
// by what a refresh of many files may take, and stored, so that they can be
// raised without old digests becoming drift.
const (
	secretScheme = "pbkdf2-sha256" //nolint:gosec // the name of a scheme
	secretRounds = 10_000
	secretSalt   = 16
	maxRounds    = 10_000_000
)

// conceal makes the trace of content with this SHA-256, with a new salt.
func conceal(sum [sha256.Size]byte) (string, error) {
	salt := make([]byte, secretSalt)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	return trace(sum, salt, secretRounds)
}

// concealLike makes it with the salt and rounds of another, so that equal
// content gives an equal trace. One that cannot be read is like none.
func concealLike(other string, sum [sha256.Size]byte) (string, error) {
	part := strings.Split(other, "$")
	if len(part) != 4 || part[0] != secretScheme {
		return conceal(sum)
	}
	rounds, err := strconv.Atoi(part[1])
	if err != nil || rounds < 1 || rounds > maxRounds {
		return conceal(sum)
	}
	salt, err := base64.RawStdEncoding.DecodeString(part[2])
	if err != nil || len(salt) < secretSalt {
		return conceal(sum)
	}
	return trace(sum, salt, rounds)
}

func trace(sum [sha256.Size]byte, salt []byte, rounds int) (string, error) {
	key, err := pbkdf2.Key(sha256.New, string(sum[:]), salt, rounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("digest write-only content: %w", err)
	}
	enc := base64.RawStdEncoding.EncodeToString
	return secretScheme + "$" + strconv.Itoa(rounds) + "$" + enc(salt) + "$" + enc(key), nil
}

// reveals reports whether content with this SHA-256 left the trace.
func reveals(trace string, sum [sha256.Size]byte) (bool, error) {
	again, err := concealLike(trace, sum)
	return subtle.ConstantTimeCompare([]byte(again), []byte(trace)) == 1, err
}
