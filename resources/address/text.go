package address

import (
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// IsText reports whether Terraform stores a text unchanged, because it is UTF-8 in
// normalisation form C.
func IsText(text string) bool { return utf8.ValidString(text) && cty.NormalizeString(text) == text }

// Shown returns a text of a host in the form for the state. It quotes a text that Terraform
// would change, so that it differs from the configured text. The form is ambiguous: a host
// may also have the quoted form as its text. No other form is unique either, because the
// configuration may have any text that Terraform stores unchanged.
func Shown(text string) string {
	if !IsText(text) {
		return strconv.QuoteToASCII(text)
	}
	return text
}

// accountName matches names of users, also those of directory services, which may have
// domains.
var accountName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@\\-]*\$?$`)

// IsUserName reports whether name can be the name of a user that posix_user does not manage.
func IsUserName(name string) bool { return len(name) <= 64 && accountName.MatchString(name) }

// NamePatternRule returns the constraint of the attribute name_pattern of list
// resources.
func NamePatternRule() runtime.Constraint {
	return runtime.Check("name_pattern", "", func(text string) error {
		if _, err := regexp.Compile(whole(text)); err != nil {
			return fmt.Errorf("must be a regular expression, such as nginx|php.*: %w", err)
		}
		return nil
	})
}

// whole returns the pattern anchored at both ends.
func whole(pattern string) string { return "^(?:" + pattern + ")$" }

// NamePattern returns a function that reports whether a whole name matches a valid pattern.
// If pattern is nil, all names match.
func NamePattern(pattern *string) func(name string) bool {
	if pattern == nil {
		return func(string) bool { return true }
	}
	return regexp.MustCompile(whole(*pattern)).MatchString
}
