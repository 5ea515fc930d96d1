package configs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
)

// constraint is a version constraint, such as ">= 1.2, < 2.0".
type constraint []comparison

type comparison struct {
	operator string
	version  []int
}

// operators lists the longer ones first, so that the first match is correct.
var operators = []string{"!=", ">=", "<=", "~>", "=", ">", "<"}

// versionConstraint reads a constraint. Those of providers are only checked for syntax,
// because the test supplies the providers.
func (r *reader) versionConstraint(expr hcl.Expression) (constraint, bool) {
	var text string
	if diags := gohcl.DecodeExpression(expr, nil, &text); diags.HasErrors() {
		r.errorf(expr.Range(), "Invalid version constraint", "A version constraint must be a string.")
		return nil, false
	}
	var out constraint
	for part := range strings.SplitSeq(text, ",") {
		c := comparison{operator: "="}
		part = strings.TrimSpace(part)
		for _, operator := range operators {
			if rest, ok := strings.CutPrefix(part, operator); ok {
				c.operator, part = operator, strings.TrimSpace(rest)
				break
			}
		}
		var err error
		if c.version, err = parseVersion(part); err != nil {
			r.errorf(expr.Range(), "Invalid version constraint", "%q is not a version constraint such as \">= 1.2, < 2.0\": %s.", text, err)
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

// parseVersion returns the numbers of a version. Suffixes after a dash or a plus are
// ignored.
func parseVersion(s string) ([]int, error) {
	numbers, _, _ := strings.Cut(strings.TrimPrefix(s, "v"), "+")
	numbers, _, _ = strings.Cut(numbers, "-")
	var out []int
	for part := range strings.SplitSeq(numbers, ".") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%q is not a version", s)
		}
		out = append(out, int(n))
	}
	return out, nil
}

// allow reports whether the version meets every comparison.
func (c constraint) allow(have string) (bool, error) {
	version, err := parseVersion(have)
	if err != nil {
		return false, err
	}
	for _, one := range c {
		if !one.allow(version) {
			return false, nil
		}
	}
	return true, nil
}

func (c comparison) allow(have []int) bool {
	sign := compareVersions(have, c.version)
	switch c.operator {
	case "!=":
		return sign != 0
	case ">=":
		return sign >= 0
	case "<=":
		return sign <= 0
	case ">":
		return sign > 0
	case "<":
		return sign < 0
	case "~>": // the last number of the constraint and those after it may be greater
		fixed := max(len(c.version)-1, 1)
		return sign >= 0 && compareVersions(have[:min(fixed, len(have))], c.version[:fixed]) == 0
	default:
		return sign == 0
	}
}

// compareVersions returns the sign of a - b; missing numbers are zero.
func compareVersions(a, b []int) int {
	at := func(v []int, i int) int {
		if i < len(v) {
			return v[i]
		}
		return 0
	}
	for i := range max(len(a), len(b)) {
		if d := at(a, i) - at(b, i); d != 0 {
			return d
		}
	}
	return 0
}

// String returns the constraint in its usual form.
func (c constraint) String() string {
	parts := make([]string, len(c))
	for i, one := range c {
		numbers := make([]string, len(one.version))
		for j, n := range one.version {
			numbers[j] = strconv.Itoa(n)
		}
		parts[i] = one.operator + " " + strings.Join(numbers, ".")
	}
	return strings.Join(parts, ", ")
}
