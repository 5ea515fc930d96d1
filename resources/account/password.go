package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// A field of /etc/shadow is a hash, or something that is the hash of nothing. A
// lock is the sign before it.
const (
	lockSign   = "!"
	noPassword = "*" // and not locked, as sshd sees it
)

// bare is the field without its lock.
func bare(field string) (hash string, locked bool) {
	hash = strings.TrimLeft(field, lockSign)
	return hash, len(hash) < len(field)
}

// secret reports whether the hash is not to be stored. The version tells, as it is
// in state while the hash is not.
func (u *User) secret() bool { return u.PasswordHashWO != nil || u.PasswordHashWOVersion != nil }

// wantsHash reports whether a hash is managed.
func (u *User) wantsHash() bool { return u.PasswordHash != nil || u.secret() }

// hash is the one to set; nil is none.
func (u *User) hash() *string {
	if u.PasswordHashWO != nil {
		return u.PasswordHashWO
	}
	return u.PasswordHash
}

// managed is what of a field is compared with the hash: without the lock where that
// is managed by itself. Otherwise a lock is a change of the password.
func (u *User) managed(field string) string {
	if u.Locked == nil {
		return field
	}
	hash, _ := bare(field)
	return hash
}

// field is what a field is to become, if anything is to be set.
func (u *User) field(now string, hash *string) string {
	rest, locked := bare(now)
	if hash != nil {
		rest, locked = *hash, false
	}
	if u.Locked != nil {
		locked = *u.Locked
		if rest == "" && now != "" {
			rest = noPassword // no password was ever set
		}
	}
	if locked {
		return lockSign + rest
	}
	return rest
}

// setPassword makes the field of the password what it is to be.
func (u *User) setPassword(ctx context.Context, s *system, now string, hash *string) error {
	if u.Locked == nil && hash == nil {
		return nil
	}
	want := u.field(now, hash)
	if want == now || u.Locked != nil && hash == nil && u.isLocked(now) == *u.Locked {
		return nil
	}
	return s.run(ctx, remotecmd.Call{Args: []string{"chpasswd", "-e"}, Stdin: u.Name + ":" + want + "\n"})
}

// isLocked reports whether a field has a lock.
func (u *User) isLocked(field string) bool {
	_, locked := bare(field)
	return locked
}

// The hash that was set last leaves a trace in the private data of the object: a
// digest of it with a key of its own. A hash has a salt that nobody guesses, so the
// digest needs none of the slowness by which short secrets are kept.
const traceKey = "password_hash_wo"

const saltSize = 16

// rememberTrace keeps the trace of what was set.
func rememberTrace(ctx context.Context, hash string) {
	if reveals(ctx, hash) {
		return
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // it never fails
	runtime.Private(ctx).Set(traceKey, trace(salt, hash))
}

func forgetTrace(ctx context.Context) { runtime.Private(ctx).Set(traceKey, nil) }

// reveals reports whether a hash is the one that left the trace.
func reveals(ctx context.Context, hash string) bool {
	left := runtime.Private(ctx).Get(traceKey)
	salt, err := base64.RawStdEncoding.DecodeString(string(left[:min(len(left), base64.RawStdEncoding.EncodedLen(saltSize))]))
	return err == nil && len(salt) == saltSize && hmac.Equal(left, trace(salt, hash))
}

func trace(salt []byte, hash string) []byte {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(hash))
	encoded := base64.RawStdEncoding.AppendEncode(nil, salt)
	return base64.RawStdEncoding.AppendEncode(encoded, mac.Sum(nil))
}
