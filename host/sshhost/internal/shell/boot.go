package shell

import (
	"strconv"
	"strings"
)

// boot is the only command line that this package passes to a login shell. It starts a
// POSIX shell that leads a session, so that everything it starts can be killed together.
// That shell reads the number of lines and then a script of so many lines from its input,
// and runs it. The rest of the input is for the script: the built-in read consumes no byte
// too many. It reads bytes (LC_ALL=C for that command), because in multibyte locales bash
// loses the byte 1 after an incomplete character.
//
// It has no backslash before a quote or a backslash, no newline and no exclamation mark,
// because these are special inside quotes in fish or csh. $2 is "own" if the shell leads
// its process group. Variables begin with px_ to avoid collisions.
const boot = `exec sh -c '` + bootGroup + `' sh '` + bootText + `'`

const bootGroup = `px_g=; ` +
	`{ read -r px_a px_a px_a px_a px_g px_a </proc/self/stat; } 2>/dev/null || px_g=$(ps -o pgid= -p $$ 2>/dev/null); ` +
	`case " $px_g " in ` +
	`"  ") ;; ` + // unknown: a setsid here would exit too early if it leads a session already
	`*" $$ "*) set -- "$1" own ;; ` +
	`*) command -v setsid >/dev/null 2>&1 && exec setsid sh -c "$1" sh "$1" own ;; ` +
	`esac; ` +
	`eval "$1"`

const bootText = `px_o=$2; px_nl=$(printf "\012."); px_nl=${px_nl%.}; px_t=; IFS=; ` +
	`read -r px_n; ` +
	`while [ "$px_n" -gt 0 ]; do LC_ALL=C read -r px_l || exit 125; px_t=$px_t$px_l$px_nl; px_n=$((px_n-1)); done; ` +
	`unset IFS; ` +
	`eval "$px_t"`

// Frame returns the input for boot: the number of lines, and the lines.
func (t Text) Frame() ([]byte, error) {
	if t.err != nil {
		return nil, t.err
	}
	lines := strconv.Itoa(strings.Count(t.text, "\n"))
	return []byte(lines + "\n" + t.text), nil
}

// readiness defines px_ready, with which a script reports on both outputs that its own
// output follows. Its arguments are what [Process.Said] returns.
var readiness = Fixed(`px_mark() { px_m=$1; }
px_ready() {
  printf '\n%s\n' "$px_m" >&2
  printf '\n%s %s %s %s\n' "$px_m" "$$" "${px_o:--}" "$*"
}`)
