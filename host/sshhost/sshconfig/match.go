package sshconfig

import (
	"fmt"
	"strings"
)

// matchPattern reports whether s matches a pattern with * and ?.
func matchPattern(s, pattern string) bool {
	// The position of the last * reached in pattern, and the end of its match in s: a mismatch extends the match by one
	// character.
	star, from := -1, 0
	i, j := 0, 0
	for i < len(s) {
		switch {
		case j < len(pattern) && pattern[j] == '*':
			star, from = j, i
			j++
		case j < len(pattern) && (pattern[j] == '?' || pattern[j] == s[i]):
			i++
			j++
		case star >= 0:
			from++
			i, j = from, star+1
		default:
			return false
		}
	}
	return strings.Trim(pattern[j:], "*") == ""
}

// matchList reports whether s matches a comma-separated list of patterns, and no pattern in
// it with a leading !.
func matchList(s, patterns string) bool {
	found := false
	for pattern := range strings.SplitSeq(patterns, ",") {
		pattern, negated := strings.CutPrefix(pattern, "!")
		switch {
		case !matchPattern(s, pattern):
		case negated:
			return false
		default:
			found = true
		}
	}
	return found
}

// isAnything reports whether patterns consists only of asterisks, and therefore matches every name.
func isAnything(patterns string) bool { return patterns != "" && strings.Trim(patterns, "*") == "" }

// matchHost evaluates a Host line. listed reports whether a pattern that does not consist only of
// asterisks matches the host.
func (e *evaluation) matchHost(l *line) (matches, listed bool, err error) {
	if l.err != nil {
		return false, false, l.err
	}
	host := e.query.Host
	if e.final {
		host = e.realName
	}
	for _, pattern := range l.words {
		if pattern == "" {
			return false, false, l.fail("a pattern of Host is empty")
		}
		name, negated := strings.CutPrefix(pattern, "!")
		switch {
		case !matchPattern(host, name):
		case negated:
			return false, false, nil
		default:
			matches = true
			listed = listed || !isAnything(name)
		}
	}
	return matches, listed, nil
}

// matchCriteria evaluates a Match line. listed reports whether the line matches and has a criterion host or
// originalhost, not negated, with an argument that does not consist only of asterisks.
func (e *evaluation) matchCriteria(l *line) (matches, listed bool, err error) {
	if err := checkCriteria(l); err != nil {
		return false, false, err
	}
	matches = true
	for i := 0; i < len(l.words); i++ {
		written, negated := strings.CutPrefix(l.words[i], "!")
		written, argument, given := strings.Cut(written, "=")
		criterion := strings.ToLower(written)
		var holds bool
		switch criterion {
		case "all":
			if i+1 < len(l.words) || i > 1 || i == 1 && !isPass(l.words[0]) {
				return false, false, l.fail("all cannot be combined with other criteria")
			}
			holds = true
		case "canonical", "final":
			e.wantsFinal = e.wantsFinal || criterion == "final"
			holds = e.final
		default:
			if !given && i+1 < len(l.words) {
				i++
				argument = l.words[i]
			}
			if argument == "" {
				return false, false, l.fail("the criterion " + written + " needs an argument")
			}
			if !matches {
				continue // arguments after a criterion that fails are not evaluated
			}
			if holds, err = e.holds(l, criterion, argument); err != nil {
				return false, false, err
			}
			listed = listed || !negated && !isAnything(argument) && strings.HasSuffix(criterion, "host")
		}
		matches = matches && holds != negated
	}
	return matches, matches && listed, nil
}

// isPass reports whether a criterion depends only on the pass: "all" may follow only such a criterion.
func isPass(word string) bool {
	word = strings.ToLower(strings.TrimPrefix(word, "!"))
	return word == "canonical" || word == "final"
}

// checkCriteria rejects Match lines without a criterion or with an unclosed quotation mark, and those with single
// quotes or backslashes, which versions of ssh interpret differently.
func checkCriteria(l *line) error {
	switch {
	case l.err != nil:
		return l.err
	case strings.ContainsAny(l.rest, `'\`):
		return l.fail("versions of ssh interpret single quotes and backslashes in a Match line differently; use double quotes or none")
	case len(l.words) == 0:
		return l.fail("Match has no criterion")
	}
	return nil
}

// holds evaluates a criterion with an argument.
func (e *evaluation) holds(l *line, criterion, argument string) (bool, error) {
	switch criterion {
	case "host":
		name, err := e.hostName()
		return matchList(strings.ToLower(name), strings.ToLower(argument)), err
	case "originalhost":
		return matchList(strings.ToLower(e.query.Host), strings.ToLower(argument)), nil
	case "user":
		return matchList(e.user(), argument), nil
	case "localuser":
		return matchList(e.config.env.User, argument), nil
	case "exec":
		return false, l.fail("Match exec would run a command to decide whether it applies to " + e.query.Host +
			", which is not supported. Configure the host in the provider block, or set ssh_config to another file")
	default:
		return false, l.fail(fmt.Sprintf("the criterion %q of Match is not supported, so it is unknown whether the line applies to %s. "+
			"Configure the host in the provider block, or set ssh_config to another file", criterion, e.query.Host))
	}
}
