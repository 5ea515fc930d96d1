package account

import (
	"context"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// step is a program that makes a part of a change.
type step struct {
	args    []string
	explain func(error) error // adds the attribute, and a remedy if one is known, to the error of the program; may be nil
}

// stepsScript runs programs one after the other until one fails, and prints an empty line after each that
// succeeds. The argument before each program is its number of words. The output of the programs is on standard error.
//
// The programs get the line of standard input. The script reads this line first: if the line is missing, the
// provider was killed before it sent the line, and nothing is changed. Other users cannot see the line, because
// echo is built into the shell. Neither the shell nor the programs end when their output is no longer read.
const stepsScript = `trap '' PIPE
IFS= read -r input || exit
while [ $# -gt 0 ]; do
	words=$1 word=0 program=
	shift
	while [ "$word" -lt "$words" ]; do
		word=$((word + 1))
		program="$program \"\${$word}\""
	done
	echo "$input" 2>/dev/null | eval "$program" >&2 || exit
	echo
	shift "$words"
done
`

// runSteps runs steps one after the other until one fails. If there are several, they get the line input on
// standard input, and one script runs them. The script continues on the host if the connection is lost or the provider is
// killed, because the next apply would not adopt an account that an interrupted create left incomplete.
func (s *hostAccounts) runSteps(ctx context.Context, input string, steps ...step) error {
	var err error
	if len(steps) == 1 {
		err = s.program(ctx, steps[0].args...)
	} else {
		err = s.retry(ctx, func() (string, error) {
			var args []string
			for _, it := range steps {
				args = append(append(args, strconv.Itoa(len(it.args))), it.args...)
			}
			call := remotecmd.Shell(stepsScript, args...)
			call.Stdin = input + "\n"
			r, err := call.Run(ctx, s.host)
			ended := strings.Count(r.Stdout, "\n")
			steps = steps[min(ended, len(steps)-1):] // a retry does not repeat those that have succeeded
			return steps[0].args[0], remotecmd.OfProgram(err, steps[0].args)
		})
	}
	if err != nil && steps[0].explain != nil {
		err = steps[0].explain(err)
	}
	return err
}
