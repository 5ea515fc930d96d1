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

// Only a digest of write-only content is stored, in the private data of the object,
// which no plan or output shows: PBKDF2 of its SHA-256, with a random salt. The salt
// prevents precomputed tables and hides that two files are equal.
const (
	secretScheme = "pbkdf2-sha256" //nolint:gosec // the name of a scheme
	secretSalt   = 16
	maxRounds    = 10_000_000
)

// SecretRounds is the number of rounds of new digests, which OWASP's Password Storage
// Cheat Sheet recommends for PBKDF2-HMAC-SHA256: each guess at a short secret takes about
// 0.1 seconds of CPU time, and so does each refresh of a file. Each digest contains its
// number of rounds, so older digests remain valid. Only tests change it, before they start.
var SecretRounds = 600_000

// digestKey is the key of the digest in the private data.
const digestKey = "content_wo"

func storedDigest(ctx context.Context) string {
	return string(runtime.Private(ctx).Get(digestKey))
}

func deleteDigest(ctx context.Context) { runtime.Private(ctx).Set(digestKey, nil) }

// markDigestLost stores an invalid digest, which marks the content as write-only: the private data was lost,
// and the version in the state will be null because the content cannot be compared.
func markDigestLost(ctx context.Context) { runtime.Private(ctx).Set(digestKey, []byte("lost")) }

// storeDigest stores the digest of content with this SHA-256, unless the stored digest
// already matches and has as many rounds as a new one.
func storeDigest(ctx context.Context, sum [sha256.Size]byte) error {
	stored := storedDigest(ctx)
	if strings.HasPrefix(stored, digestPrefix(SecretRounds)) {
		if known, err := matchesDigest(stored, sum); known || err != nil {
			return err
		}
	}
	digest, err := newDigest(sum)
	if err == nil {
		runtime.Private(ctx).Set(digestKey, []byte(digest))
	}
	return err
}

// digestPrefix returns the text before the salt in a digest with this number of rounds.
func digestPrefix(rounds int) string { return secretScheme + "$" + strconv.Itoa(rounds) + "$" }

// newDigest returns the digest of content with this SHA-256, with a new salt.
func newDigest(sum [sha256.Size]byte) (string, error) {
	salt := make([]byte, secretSalt)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("cannot generate a salt: %w", err)
	}
	return saltedDigest(sum, salt, SecretRounds)
}

// matchesDigest reports whether content with this SHA-256 has the stored digest. An
// invalid digest matches no content.
func matchesDigest(stored string, sum [sha256.Size]byte) (bool, error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 4 || parts[0] != secretScheme {
		return false, nil
	}
	rounds, err := strconv.Atoi(parts[1])
	if err != nil || rounds < 1 || rounds > maxRounds {
		return false, nil //nolint:nilerr // an invalid digest
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[2])
	if err != nil || len(salt) < secretSalt {
		return false, nil //nolint:nilerr // an invalid digest
	}
	computed, err := saltedDigest(sum, salt, rounds)
	return subtle.ConstantTimeCompare([]byte(computed), []byte(stored)) == 1, err
}

func saltedDigest(sum [sha256.Size]byte, salt []byte, rounds int) (string, error) {
	key, err := pbkdf2.Key(sha256.New, string(sum[:]), salt, rounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("cannot compute the digest of write-only content: %w", err)
	}
	enc := base64.RawStdEncoding.EncodeToString
	return digestPrefix(rounds) + enc(salt) + "$" + enc(key), nil
}
