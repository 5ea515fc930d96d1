package account

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// maxName is the maximum length of a name in bytes, which is that of login records.
const maxName = 32

// maxID is the maximum UID and GID. The next number stands for no account.
const maxID = 1<<32 - 2

// names matches the portable names of POSIX that do not start with a dot, optionally with a
// dollar sign at the end, as in Samba's computer accounts. Some tools accept fewer names.
var names = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?$`)

// CheckName returns an error if name is not a valid name of a user or a group.
func CheckName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name has %d bytes; user and group names can have at most %d", len(name), maxName)
	case !names.MatchString(name):
		return errors.New("a user or group name consists of letters, digits, dots, dashes and underscores, can end with a dollar sign, and must not start with a dot or a dash")
	case digits(name):
		return errors.New("a user or group name must not consist of digits only, since it would be read as an ID. Add a letter")
	}
	return nil
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// checkGroup returns an error if group is neither a valid name nor a GID.
func checkGroup(group string) error {
	if digits(group) {
		_, err := parseID(group)
		return err
	}
	return CheckName(group)
}

// checkField returns an error if text cannot be a field of /etc/passwd.
func checkField(text string) error {
	if i := strings.IndexFunc(text, func(r rune) bool { return r == ':' || unicode.IsControl(r) }); i >= 0 {
		return errors.New("must not contain colons, line breaks or other control characters, since it is stored in /etc/passwd")
	}
	return nil
}

// checkHome returns an error if path cannot be the path of a home directory.
func checkHome(path string) error {
	return cmp.Or(address.CheckDirectory(path), checkField(path))
}

// checkShell returns an error if path cannot be the path of a login shell. An empty path
// is valid: it stands for the default of the host.
func checkShell(path string) error {
	if path == "" {
		return nil
	}
	return checkHome(path)
}

// never is the expiry date of accounts that do not expire.
const never = "never"

// checkExpires returns an error if text is neither a date that shadow(5) supports nor never.
func checkExpires(text string) error {
	if text == never {
		return nil
	}
	day, err := time.Parse(time.DateOnly, text)
	switch {
	case err != nil:
		return errors.New("must be a date such as 2030-12-31, or never")
	case day.Unix() <= 0:
		return errors.New("the date must be after 1970-01-01, which some systems interpret as never. Use a later date in the past to disable the account")
	}
	return nil
}

// hashes matches the output of crypt(3) for all schemes with a prefix between dollar signs.
var hashes = regexp.MustCompile(`^\$[0-9A-Za-z_-]+\$[./0-9A-Za-z$=,+_-]{8,}$`)

// checkHash returns an error if hash is not a password hash. The error does not contain
// the value, because it may be a password.
func checkHash(hash string) error {
	switch {
	case hashes.MatchString(hash):
		return nil
	case strings.HasPrefix(hash, "!") || hash == "*":
		return errors.New("must not be * or start with !. Use only the hash; to lock the password, set locked = true")
	}
	return errors.New("must be a password hash, which starts with $, the scheme and another $: create one with mkpasswd or `openssl passwd -6`. " +
		"If this is a password, it may have been exposed: choose another one")
}

func userRules() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("name", "", CheckName),
		runtime.Range[int64]("uid", 0, maxID),
		runtime.Check("group", "", checkGroup),
		runtime.Each(runtime.Check("groups", "must be a group name", CheckName)),
		runtime.Check("comment", "must not contain colons or control characters", checkField),
		runtime.Check("home", "", checkHome),
		runtime.Check("shell", "", checkShell),
		runtime.Check("expires", "must be `never` or a date after `1970-01-01`", checkExpires),
		runtime.Check("password_hash", "", checkHash),
		runtime.Check("password_hash_wo", "", checkHash),
		runtime.AtMostOneOf("password_hash", "password_hash_wo"),
		runtime.RequiredTogether("password_hash_wo", "password_hash_wo_version"),
	}
}
