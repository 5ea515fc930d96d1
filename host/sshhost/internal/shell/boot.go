package shell

import (
	"strconv"
	"strings"
)

// boot is the one line that a login shell gets from this package. It starts a
// POSIX shell, which becomes the leader of a session where it is not one already,
// so that all that it starts can be ended together; reads a text from its input,
// as many lines as the first line says; and runs it. What is on the input after
// the text is the text's: read, which is built in, takes no byte too many. It reads
// bytes (LC_ALL=C, for the one command): where characters have several, bash loses a
// byte 1 after the beginning of one.
//
// There is no backslash before a quote or a backslash, no newline and no exclamation
// mark in it: these mean something in the quotes of fish or csh. $2 is "own" for a
// shell that leads its process group. Variables begin with px_ so as not to be
// the user's.
const boot = `exec sh -c '` + bootGroup + `' sh '` + bootText + `'`

const bootGroup = `px_g=; ` +
	`{ read -r px_a px_a px_a px_a px_g px_a </proc/self/stat; } 2>/dev/null || px_g=$(ps -o pgid= -p $$ 2>/dev/null); ` +
	`case " $px_g " in ` +
	`"  ") ;; ` + // nobody knows: setsid would answer too early where it is one already
	`*" $$ "*) set -- "$1" own ;; ` +
	`*) command -v setsid >/dev/null 2>&1 && exec setsid sh -c "$1" sh "$1" own ;; ` +
	`esac; ` +
	`eval "$1"`

const bootText = `px_o=$2; px_nl=$(printf "\012."); px_nl=${px_nl%.}; px_t=; IFS=; ` +
	`read -r px_n; ` +
	`while [ "$px_n" -gt 0 ]; do LC_ALL=C read -r px_l || exit 125; px_t=$px_t$px_l$px_nl; px_n=$((px_n-1)); done; ` +
	`unset IFS; ` +
	`eval "$px_t"`

// Frame returns the text as boot reads it: the number of its lines, and the lines.
func (t Text) Frame() ([]byte, error) {
	if t.err != nil {
		return nil, t.err
	}
	lines := strconv.Itoa(strings.Count(t.text, "\n"))
	return []byte(lines + "\n" + t.text), nil
}

// readiness defines px_ready, by which a text says on both outputs that what follows is
// its own. Its arguments are what [Process.Said] returns.
var readiness = Fixed(`px_mark() { px_m=$1; }
px_ready() {
  printf '\n%s\n' "$px_m" >&2
  printf '\n%s %s %s %s\n' "$px_m" "$$" "${px_o:--}" "$*"
}`)
