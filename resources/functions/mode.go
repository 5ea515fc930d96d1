package functions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Mode converts a file mode as chmod accepts it, such as "u=rwx,g=rx", "a+x" or
// "750", to four octal digits.
//
// A symbolic mode has one or more clauses, separated by commas: "u=rwX,g=u-w,o=". A
// clause has three parts; the second and the third can be repeated:
//   - The users: one or more of `u` (owner), `g` (group), `o` (others) and `a` (all).
//   - The operation: `=` sets the permissions, `+` adds and `-` removes them.
//   - The permissions: any of `r`, `w`, `x`, `X` (`x` if any user has it already), `s`
//     (setuid and setgid) and `t` (sticky), or one of `u`, `g` and `o` for the
//     permissions that these have.
//
// The result is the same as that of GNU chmod for a regular file, except that a clause
// without `u`, `g`, `o` or `a` is an error: its meaning would depend on the umask of a
// process.
//
//   - spec: Mode to convert: symbolic, or three or four octal digits.
//   - base: Mode that a symbolic mode modifies, as three or four octal digits; at
//     most one. Defaults to no permissions.
func Mode(spec string, base ...string) (string, error) {
	var m host.Mode
	switch len(base) {
	case 0:
	case 1:
		var err error
		if m, err = host.ParseMode(base[0]); err != nil {
			return "", runtime.ArgumentError(1, err)
		}
	default:
		return "", runtime.ArgumentError(2, errors.New("only one base can be given"))
	}
	if strings.Trim(spec, "0123456789") == "" {
		absolute, err := host.ParseMode(spec)
		return absolute.String(), runtime.ArgumentError(0, err)
	}
	for clause := range strings.SplitSeq(spec, ",") {
		var err error
		if m, err = applyClause(m, clause); err != nil {
			return "", runtime.ArgumentError(0, fmt.Errorf("the clause %q of the mode %w", clause, err))
		}
	}
	return m.String(), nil
}

// classes has the permission bits of each class of users, and their offset from the
// bits of others.
var classes = map[byte]struct {
	bits  host.Mode
	shift int
}{
	'u': {host.ModeSetuid | 0o700, 6},
	'g': {host.ModeSetgid | 0o070, 3},
	'o': {host.ModeSticky | 0o007, 0},
}

// executeBits has the execute bit of each class. Multiplied by 2, executeBits is the write bits, and by 4
// the read bits.
const executeBits = host.Mode(0o111)

// applyClause returns m changed by a clause.
func applyClause(m host.Mode, clause string) (host.Mode, error) {
	mask := host.Mode(0)
	rest := strings.TrimLeft(clause, "ugoa")
	for _, who := range []byte(clause[:len(clause)-len(rest)]) {
		if who == 'a' {
			mask |= host.ModeMask
		}
		mask |= classes[who].bits
	}
	switch {
	case clause == "":
		return 0, errors.New("is empty")
	case mask == 0:
		return 0, errors.New("must start with u, g, o or a (whose permissions to change)")
	case rest == "":
		return 0, errors.New("must have an operation: =, + or -")
	}
	for rest != "" {
		op := rest[0]
		if strings.IndexByte("=+-", op) < 0 {
			return 0, fmt.Errorf("has %q, but =, + or - is expected", rest[:1])
		}
		end := 1 + strings.IndexAny(rest[1:]+"=", "=+-")
		bits, err := permissions(m, rest[1:end])
		if err != nil {
			return 0, err
		}
		rest = rest[end:]
		bits &= mask
		switch op {
		case '=':
			m = m&^mask | bits
		case '+':
			m |= bits
		case '-':
			m &^= bits
		}
	}
	return m, nil
}

// permissions returns the bits of the letters, for all classes.
func permissions(m host.Mode, letters string) (host.Mode, error) {
	if len(letters) == 1 {
		if of, ok := classes[letters[0]]; ok {
			return m >> of.shift & 0o7 * executeBits, nil
		}
	}
	var bits host.Mode
	for _, letter := range letters {
		switch letter {
		case 'r':
			bits |= 0o4 * executeBits
		case 'w':
			bits |= 0o2 * executeBits
		case 'x':
			bits |= executeBits
		case 'X':
			if m&executeBits != 0 {
				bits |= executeBits
			}
		case 's':
			bits |= host.ModeSetuid | host.ModeSetgid
		case 't':
			bits |= host.ModeSticky
		case 'u', 'g', 'o':
			return 0, fmt.Errorf("has %q with other letters; permissions can only be copied on their own, as in g=u", letter)
		default:
			return 0, fmt.Errorf("has %q, but r, w, x, X, s or t is expected", letter)
		}
	}
	return bits, nil
}
