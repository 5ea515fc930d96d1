package address

import (
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// IsText says whether state can keep a text as it is: in UTF-8, and in the
// normalisation form that Terraform gives all text.
func IsText(text string) bool { return utf8.ValidString(text) && cty.NormalizeString(text) == text }

// Shown is a text of a host as state can keep it. What is none was never configured;
// it is shown quoted, so that it differs from whatever is.
func Shown(text string) string {
	if !IsText(text) {
		return strconv.QuoteToASCII(text)
	}
	return text
}

// accountName is wide: directories have users with domains in their names.
var accountName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@\\-]*\$?$`)

// IsUserName says whether a text can be the name of a user that somebody else manages.
func IsUserName(name string) bool { return len(name) <= 64 && accountName.MatchString(name) }

// NamePatternRule is the rule about the attribute name_pattern of searches.
func NamePatternRule() runtime.Constraint {
	return runtime.Check("name_pattern", "", func(text string) error {
		if _, err := regexp.Compile(whole(text)); err != nil {
			return fmt.Errorf("must be a regular expression, such as nginx|php.*: %w", err)
		}
		return nil
	})
}

// whole has a pattern match all of a name.
func whole(pattern string) string { return "^(?:" + pattern + ")$" }

// NamePattern says which names match a pattern that the rule has let pass; nil is all.
func NamePattern(pattern *string) func(name string) bool {
	if pattern == nil {
		return func(string) bool { return true }
	}
	return regexp.MustCompile(whole(*pattern)).MatchString
}
