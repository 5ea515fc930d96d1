package account

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// maxName is how long a name may be: more does not fit into the records of logins.
const maxName = 32

// maxID is the highest number: the one above it means nobody at all.
const maxID = 1<<32 - 2

// names are portable as POSIX has it, with the dollar sign at the end that machine
// accounts of Samba have. Some tools take fewer, and say so.
var names = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?$`)

// CheckName accepts what can be the name of a user or a group.
func CheckName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name has %d characters; user and group names can have at most %d", len(name), maxName)
	case !names.MatchString(name):
		return errors.New("a user or group name consists of letters, digits, dots, dashes and underscores, and must not start with a dot or a dash")
	case digits(name):
		return errors.New("a user or group name must not consist of digits only, since it would be read as an ID. Add a letter")
	}
	return nil
}

// digits reports whether a text is a number, as ids are.
func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// checkGroup accepts the name or the number of a group.
func checkGroup(group string) error {
	if digits(group) {
		_, err := parseID(group)
		return err
	}
	return CheckName(group)
}

// checkField accepts what a field of /etc/passwd can have.
func checkField(text string) error {
	if i := strings.IndexFunc(text, func(r rune) bool { return r == ':' || unicode.IsControl(r) }); i >= 0 {
		return errors.New("must not contain colons, line breaks or other control characters, since it is stored in /etc/passwd")
	}
	return nil
}

// checkPlace accepts the path of a home directory.
func checkPlace(path string) error {
	if err := address.CheckDirectory(path); err != nil {
		return err
	}
	return checkField(path)
}

// checkShell accepts the path of a program, or nothing: the system's own choice.
func checkShell(path string) error {
	if path == "" {
		return nil
	}
	return checkPlace(path)
}

// never is when an account without an expiry date expires.
const never = "never"

// checkExpires accepts a date that shadow(5) can have, or never.
func checkExpires(text string) error {
	if text == never {
		return nil
	}
	day, err := time.Parse(time.DateOnly, text)
	switch {
	case err != nil:
		return errors.New("must be a date such as 2030-12-31, or never")
	case day.Unix() <= 0:
		return errors.New("the date must be after 1970-01-01, which some systems interpret as never. Use any other date in the past to disable the account")
	}
	return nil
}

// hashes are what crypt(3) makes, in any of the schemes with a name.
var hashes = regexp.MustCompile(`^\$[0-9A-Za-z_-]+\$[./0-9A-Za-z$=,+_-]{8,}$`)

// checkHash refuses what is no hash, above all a password. It repeats nothing.
func checkHash(hash string) error {
	switch {
	case hashes.MatchString(hash):
		return nil
	case strings.HasPrefix(hash, "!") || hash == "*":
		return errors.New("use only the hash; set the attribute locked to lock the password")
	}
	return errors.New("must be a password hash, which starts with $, the scheme and another $: create one with mkpasswd or `openssl passwd -6`. " +
		"If this is a password, it may have been exposed: choose another one")
}

// userRules are those of attributes that users have.
func userRules() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("name", "", CheckName),
		runtime.Range[int64]("uid", 0, maxID),
		runtime.Check("group", "", checkGroup),
		runtime.Each(runtime.Check("groups", "must be a group name", CheckName)),
		runtime.Check("comment", "must not contain colons or line breaks", checkField),
		runtime.Check("home", "", checkPlace),
		runtime.Check("shell", "", checkShell),
		runtime.Check("expires", "must be a date such as `2030-12-31`, or `never`", checkExpires),
		runtime.Check("password_hash", "", checkHash),
		runtime.Check("password_hash_wo", "", checkHash),
		runtime.AtMostOneOf("password_hash", "password_hash_wo"),
		runtime.RequiredTogether("password_hash_wo", "password_hash_wo_version"),
	}
}
