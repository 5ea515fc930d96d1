package conformance

import (
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// secretPrefix begins values of sensitive attributes that are looked for in
// messages: others could be in them by chance.
const secretPrefix = "hush-"

// plainWords are what most attributes take.
var plainWords = []string{"a", "b", "one", "two", "example", "web-1", "x.example"}

// durations are what timeouts take.
var durations = []string{"10m", "1h", "90s"}

// oddWords are what attributes are often wrong about: nothing, space around,
// other scripts, what looks like another type or like a template, lines.
var oddWords = []string{
	"", " ", " a ", "A", "é", "日本語", "👩🏽‍🚀", "ß", "007", "0", "-1", "1e3", "true", "null", "{}", "[]", "a,b", "a b",
	`say "hi" \ `, "${a} %{b}", "line\nline", "line\n", "\n", "\r\n", "\ttab", "a/b", "/", "..", "$", "%", "#", "<a&b>", "'", "\u200b", "a=b", "*",
}

var mapKeys = []string{"a", "b", "key", "Key", "with space", "é", "a.b", "", "0"}

var (
	plainNumbers = []string{"0", "1", "2", "3", "10", "60", "80", "100", "1000"}
	oddNumbers   = []string{
		"-1", "0.5", "255", "256", "65535", "65536", "2147483648", "-2147483649", "4294967296",
		"9007199254740993", "9223372036854775807", "9223372036854775808", "1e30", "0.1",
	}
)

// amounts are names of attributes that say how much is to be made: large numbers
// would make a lot.
var amounts = regexp.MustCompile(`length|count|size|bytes|bits|amount|replicas|repeat|width|height|depth|capacity|^num_|_num$|min_|max_`)

var (
	quotes  = regexp.MustCompile("`([^`\n]{1,60})`|\"([^\"\n]{0,60})\"")
	numbers = regexp.MustCompile(`-?\b[0-9]{1,20}\b`)
)

// quoted is what a text puts in quotes or sets as code: often the values that
// are valid.
func quoted(text string) []string {
	var words []string
	for _, m := range quotes.FindAllStringSubmatch(text, 40) {
		if word := m[1] + m[2]; !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// hints are words in a message about an attribute that may be valid values of it.
func hints(text string) []string { return append(quoted(text), numbers.FindAllString(text, 10)...) }

// secretsIn are the values of a configuration that no message may have.
func secretsIn(config cty.Value) []string {
	var found []string
	_ = cty.Walk(config, func(_ cty.Path, v cty.Value) (bool, error) { // no error is ever made
		if !v.IsNull() && v.IsKnown() && v.Type() == cty.String && strings.HasPrefix(v.AsString(), secretPrefix) {
			found = append(found, v.AsString())
		}
		return true, nil
	})
	return found
}
