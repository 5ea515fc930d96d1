package account

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Parts of a password field. The field is a hash, or a text that is not the hash of any
// password. A prefix locks the password.
const (
	lockSign   = "!"
	noPassword = "*" // no password, but sshd does not regard the account as locked
)

// splitLock returns the hash in a password field, and reports whether the field has a lock.
func splitLock(field string) (hash string, locked bool) {
	hash = strings.TrimLeft(field, lockSign)
	return hash, len(hash) < len(field)
}

// writeOnly reports whether the hash is write-only. For a read, only its version is set.
func (u *User) writeOnly() bool { return u.PasswordHashWO != nil || u.PasswordHashWOVersion != nil }

// managesHash reports whether a hash is managed.
func (u *User) managesHash() bool { return u.PasswordHash != nil || u.writeOnly() }

// hash returns the hash to set, or nil.
func (u *User) hash() *string {
	return cmp.Or(u.PasswordHashWO, u.PasswordHash)
}

// managedPart returns the part of a password field to compare with the configured hash. If
// the attribute locked is set, that is the field without the lock. If not, it is the whole
// field: a lock is then a change of the password.
func (u *User) managedPart(field string) string {
	if u.Locked == nil {
		return field
	}
	hash, _ := splitLock(field)
	return hash
}

// desiredField returns the password field that replaces now: with the configured lock and,
// unless hash is nil, with hash.
func (u *User) desiredField(now string, hash *string) string {
	rest, locked := splitLock(now)
	if hash != nil {
		rest, locked = *hash, false
	}
	if u.Locked != nil {
		locked = *u.Locked
		if rest == "" && now != "" {
			rest = noPassword // a password was never set
		}
	}
	if locked {
		return lockSign + rest
	}
	return rest
}

// setPassword sets the password field, which is now, unless it has the configured lock and hash.
func (u *User) setPassword(ctx context.Context, s *hostAccounts, now string, hash *string) error {
	line, change := u.passwordLine(now, hash)
	if !change {
		return nil
	}
	return s.run(ctx, remotecmd.Call{Args: chpasswd, Stdin: line + "\n"})
}

// chpasswd sets password fields. It reads lines with a user name, a colon and a field.
var chpasswd = []string{"chpasswd", "-e"}

// passwordLine returns the line for chpasswd, and whether it changes the password field.
func (u *User) passwordLine(now string, hash *string) (line string, change bool) {
	sameLock := u.Locked == nil || u.isLocked(now) == *u.Locked
	sameHash := hash == nil || u.managedPart(now) == *hash
	if sameLock && sameHash {
		return "", false
	}
	return u.Name + ":" + u.desiredField(now, hash), true
}

// isLocked reports whether a password field has a lock.
func (u *User) isLocked(field string) bool {
	_, locked := splitLock(field)
	return locked
}

// digestKey is the key under which the private data has a salted digest of the hash that was
// last set. A fast digest is sufficient, because the hash itself is hard to guess.
const digestKey = "password_hash_wo"

const saltSize = 16

// storeDigest stores the digest of a hash, unless the stored digest matches.
func storeDigest(ctx context.Context, hash string) {
	if matchesDigest(ctx, hash) {
		return
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // rand.Read never fails
	runtime.Private(ctx).Set(digestKey, digest(salt, hash))
}

func deleteDigest(ctx context.Context) { runtime.Private(ctx).Set(digestKey, nil) }

// matchesDigest reports whether the stored digest is that of hash.
func matchesDigest(ctx context.Context, hash string) bool {
	left := runtime.Private(ctx).Get(digestKey)
	salt, err := base64.RawStdEncoding.DecodeString(string(left[:min(len(left), base64.RawStdEncoding.EncodedLen(saltSize))]))
	return err == nil && len(salt) == saltSize && hmac.Equal(left, digest(salt, hash))
}

func digest(salt []byte, hash string) []byte {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(hash))
	encoded := base64.RawStdEncoding.AppendEncode(nil, salt)
	return base64.RawStdEncoding.AppendEncode(encoded, mac.Sum(nil))
}
