package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// validateLimit limits the run time of a validation command, so that one that hangs does
// not block the run.
const validateLimit = 5 * time.Minute

// In an argument, %s is the path of the temporary file and %% a percent sign.
var errPlaceholder = errors.New("a percent sign must be followed by s (the path of the temporary file) or by another percent sign")

// fillIn replaces the placeholders in an argument, and counts those for the temporary file.
func fillIn(arg, temp string) (filled string, count int, err error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(arg, "%")
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), count, nil
		case strings.HasPrefix(after, "s"):
			b.WriteString(temp)
			count++
		case strings.HasPrefix(after, "%"):
			b.WriteByte('%')
		default:
			return "", 0, errPlaceholder
		}
		arg = after[1:]
	}
}

// shells run the argument after an option that ends with c as a script.
var (
	shells      = []string{"ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "ksh93", "mksh", "sh", "tcsh", "yash", "zsh"}
	shellOption = regexp.MustCompile(`^-[a-zA-Z]*c$`)
)

// checkValidate returns an error unless the temporary file has exactly one placeholder, and
// one that no shell would interpret as a script.
func checkValidate(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return errors.New("the first element must be a program, as in [\"visudo\", \"-cf\", \"%s\"]")
	}
	places := 0
	for i, arg := range argv {
		if strings.Contains(arg, "\x00") {
			return fmt.Errorf("element %d contains a NUL byte", i)
		}
		_, n, err := fillIn(arg, "")
		if err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
		if places += n; n == 0 || i < 2 || !shellOption.MatchString(argv[i-1]) {
			continue
		}
		if slices.ContainsFunc(argv[:i-1], func(before string) bool { return slices.Contains(shells, path.Base(before)) }) {
			return fmt.Errorf("element %d is a shell script, and the path would become a part of it. "+
				"Use \"$1\" in the script, followed by the elements \"sh\" and \"%%s\"", i)
		}
	}
	if places != 1 {
		return fmt.Errorf("%%s, the path of the temporary file, must occur exactly once, but it %s", times(places))
	}
	return nil
}

func times(n int) string {
	if n == 0 {
		return "is missing"
	}
	return fmt.Sprintf("occurs %d times", n)
}

// validateContent runs the configured command on the temporary file, which is
// complete and has its final mode and owner.
func (f *File) validateContent(ctx context.Context, h host.Host, temp string) error {
	if len(f.Validate) == 0 {
		return nil
	}
	args := make([]string, len(f.Validate))
	for i, arg := range f.Validate {
		var err error
		if args[i], _, err = fillIn(arg, temp); err != nil {
			return diag.AttributeErrorf("validate", "element %d: %w", i, err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, validateLimit)
	defer cancel()
	var said tail
	begun := time.Now()
	result, err := h.Run(limited, host.Command{Args: args, Stdout: &said, Stderr: &said})
	tflog.Debug(ctx, "validated content", map[string]any{
		"host": h.Name(), "path": string(f.Path), "program": f.Validate[0], "exit_code": result.ExitCode, "duration": time.Since(begun).Round(time.Millisecond).String(),
	})
	program := host.QuotePath(f.Validate[0])
	switch {
	case err == nil && result.ExitCode == 0:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return f.refused(h, &said, "%s did not end within %s", program, validateLimit)
	case err != nil:
		return diag.AttributeErrorf("validate", "the new content of %s could not be validated, so it was not written on host %s: %w", f.Path, h.Name(), err)
	case result.Signal != "":
		return f.refused(h, &said, "%s was ended by the signal %s", program, result.Signal)
	case result.ExitCode == 127:
		return f.refused(h, &said, "%s ended with exit code 127, which means that the program was not found. Is it installed on the host?", program)
	default:
		return f.refused(h, &said, "%s ended with exit code %d", program, result.ExitCode)
	}
}

// refused returns the error for rejected content.
func (f *File) refused(h host.Host, said *tail, format string, args ...any) error {
	var output string
	switch text := said.text(); {
	case f.secret():
		output = "Its output is not shown, since it may contain content_wo: run the command by hand on the host to see it."
	case f.ValidateOutput != nil && !*f.ValidateOutput:
		output = "Its output is not shown, since validate_output is false."
	case text == "":
		output = "There is no output."
	default:
		output = "It printed:\n\n" + text
	}
	return diag.AttributeErrorf("validate", "the new content of %s was rejected on host %s and not written; the existing file was not changed: %s. %s",
		f.Path, h.Name(), fmt.Sprintf(format, args...), output)
}

// tailMax is the maximum length of a command's output in an error.
const tailMax = 2000

// tail keeps the end of what is written to it, from several goroutines.
type tail struct {
	mu   sync.Mutex
	kept []byte
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailMax; over > 0 {
		t.kept, t.cut = slices.Delete(t.kept, 0, over), true
	}
	return len(p), nil
}

var terminalSequence = regexp.MustCompile(`\x1b(?:\[[\x20-\x3f]*[\x40-\x7e]|[\x40-\x5f])`)

// text returns the kept output in a printable form: without terminal control characters,
// and from the beginning of a line if it was truncated.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept
	if t.cut {
		if _, rest, found := bytes.Cut(kept, []byte("\n")); found && len(rest) > 0 {
			kept = rest
		}
	}
	text := strings.ToValidUTF8(terminalSequence.ReplaceAllString(string(kept), ""), "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	if text = strings.Trim(text, "\n"); t.cut && text != "" {
		text = "…\n" + text
	}
	return text
}
