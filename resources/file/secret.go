package file

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Of write-only content only a digest is stored, in the private data of the object, which
// no plan or output shows: PBKDF2 of its SHA-256 with a random salt. The salt defeats
// precomputed tables and hides that two files are equal; the iterations make each guess at
// a short secret cost milliseconds. Their number is limited by the time for refreshing many
// files, and is stored, so that it can be raised without old digests becoming drift.
const (
	secretScheme = "pbkdf2-sha256" //nolint:gosec // the name of a scheme
	secretRounds = 10_000
	secretSalt   = 16
	maxRounds    = 10_000_000
)

// traceKey is the key of that digest in the private data.
const traceKey = "content_wo"

func rememberedTrace(ctx context.Context) string {
	return string(runtime.Private(ctx).Get(traceKey))
}

func forgetTrace(ctx context.Context) { runtime.Private(ctx).Set(traceKey, nil) }

// rememberTrace stores the digest of content, unless the stored one is of the same content.
func rememberTrace(ctx context.Context, sum [sha256.Size]byte) error {
	if known, err := reveals(rememberedTrace(ctx), sum); known || err != nil {
		return err
	}
	trace, err := conceal(sum)
	if err == nil {
		runtime.Private(ctx).Set(traceKey, []byte(trace))
	}
	return err
}

// conceal returns the salted digest of content with this SHA-256, with a new salt.
func conceal(sum [sha256.Size]byte) (string, error) {
	salt := make([]byte, secretSalt)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("generate a salt: %w", err)
	}
	return trace(sum, salt, secretRounds)
}

// reveals reports whether the salted digest is of content with this SHA-256. An invalid one
// matches no content.
func reveals(left string, sum [sha256.Size]byte) (bool, error) {
	part := strings.Split(left, "$")
	if len(part) != 4 || part[0] != secretScheme {
		return false, nil
	}
	rounds, err := strconv.Atoi(part[1])
	if err != nil || rounds < 1 || rounds > maxRounds {
		return false, nil //nolint:nilerr // see above
	}
	salt, err := base64.RawStdEncoding.DecodeString(part[2])
	if err != nil || len(salt) < secretSalt {
		return false, nil //nolint:nilerr // see above
	}
	again, err := trace(sum, salt, rounds)
	return subtle.ConstantTimeCompare([]byte(again), []byte(left)) == 1, err
}

func trace(sum [sha256.Size]byte, salt []byte, rounds int) (string, error) {
	key, err := pbkdf2.Key(sha256.New, string(sum[:]), salt, rounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("digest write-only content: %w", err)
	}
	enc := base64.RawStdEncoding.EncodeToString
	return secretScheme + "$" + strconv.Itoa(rounds) + "$" + enc(salt) + "$" + enc(key), nil
}
