package file

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// validateTimeout limits the run time of the validate command.
const validateTimeout = 5 * time.Minute

// errPlaceholder is the error for an argument with a percent sign that starts neither %s, the path
// of the temporary file, nor %%, a percent sign.
var errPlaceholder = errors.New("a percent sign must be followed by s (the path of the temporary file) or by another percent sign")

// expand returns arg with its placeholders replaced (%s by temp), and the number of placeholders %s, or
// errPlaceholder.
func expand(arg, temp string) (filled string, count int, err error) {
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

// shells are programs that run the argument after an option that matches shellOption as a script.
var (
	shells      = []string{"ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "ksh93", "mksh", "sh", "tcsh", "yash", "zsh"}
	shellOption = regexp.MustCompile(`^-[a-zA-Z]*c$`)
)

// checkWriteOptions returns the error of checkValidate. The error is not about a nested
// attribute, because Terraform only shows the line of top-level attributes.
func checkWriteOptions(o WriteOptions) error {
	if o.Validate == nil {
		return nil
	}
	return checkValidate(o.Validate)
}

// checkValidate returns an error if the command is invalid, does not contain the path
// exactly once, or makes a shell interpret the path as part of a script.
func checkValidate(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return errors.New("validate: the first element must be a program, as in [\"visudo\", \"-cf\", \"%s\"]")
	}
	count := 0
	for i, arg := range argv {
		if strings.Contains(arg, "\x00") {
			return fmt.Errorf("validate[%d] contains a NUL byte", i)
		}
		_, n, err := expand(arg, "")
		if err != nil {
			return fmt.Errorf("validate[%d]: %w", i, err)
		}
		if count += n; n == 0 || i < 2 || !shellOption.MatchString(argv[i-1]) {
			continue
		}
		if slices.ContainsFunc(argv[:i-1], func(before string) bool { return slices.Contains(shells, path.Base(before)) }) {
			return fmt.Errorf("validate[%d] is a shell script, and the path would become a part of it. "+
				"Use \"$1\" in the script, followed by the elements \"sh\" and \"%%s\"", i)
		}
	}
	if count != 1 {
		return fmt.Errorf("validate: %%s, the path of the temporary file, must occur exactly once, but it %s", times(count))
	}
	return nil
}

func times(n int) string {
	if n == 0 {
		return "is missing"
	}
	return fmt.Sprintf("occurs %d times", n)
}

// validateContent runs the configured command on the temporary file, which is complete and
// has its final mode and owner. It returns an error unless the command accepts the content.
func (f *File) validateContent(ctx context.Context, h host.Host, temp string) error {
	command := f.writeOptions().Validate
	if len(command) == 0 {
		return nil
	}
	args := make([]string, len(command))
	for i, arg := range command {
		var err error
		if args[i], _, err = expand(arg, temp); err != nil {
			return diag.AttributeErrorf("write_options", "validate[%d]: %w", i, err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, validateTimeout)
	defer cancel()
	output := host.Tail{Max: keptOutput}
	start := time.Now()
	result, err := h.Run(limited, host.Command{Args: args, Stdout: &output, Stderr: &output})
	tflog.Debug(ctx, "validated content", map[string]any{
		"host": h.Name(), "path": string(f.Path), "program": command[0], "exit_code": result.ExitCode, "duration": time.Since(start).Round(time.Millisecond).String(),
	})
	program := host.QuotePath(command[0])
	switch {
	case err == nil && result.ExitCode == 0:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return f.rejected(h, &output, "%s did not end within %s", program, validateTimeout)
	case err != nil:
		return validateError("the new content of %s could not be validated, so it was not written on host %s: %w", f.Path, h.Name(), err)
	case result.Signal != "":
		return f.rejected(h, &output, "%s was ended by the signal %s", program, result.Signal)
	case result.ExitCode == 127:
		return f.rejected(h, &output, "%s ended with exit code 127, which means that the program was not found. Is it installed on the host?", program)
	default:
		return f.rejected(h, &output, "%s ended with exit code %d", program, result.ExitCode)
	}
}

const (
	// maxOutput is the maximum number of bytes of a command's output in an error.
	maxOutput = 2000
	// keptOutput is the maximum number of bytes kept of the output. It is larger than
	// maxOutput, because terminal control sequences are removed later.
	keptOutput = 4 * maxOutput
)

// rejected returns the error for content that the command rejected, or that it could not check.
func (f *File) rejected(h host.Host, printed *host.Tail, format string, args ...any) error {
	text, all := printed.Text()
	text, whole := remotecmd.End(strings.Trim(remotecmd.Printable(text), "\n"), maxOutput)
	if text != "" && !(all && whole) {
		text = "…\n" + text
	}
	var output string
	switch {
	case f.isWriteOnly():
		output = "Its output is not shown, since it may contain content_wo: run the command by hand on the host to see it."
	case !f.writeOptions().showsOutput():
		output = "Its output is not shown, since write_options.validate_output is false."
	case text == "":
		output = "There is no output."
	default:
		output = "It printed:\n\n" + text
	}
	return validateError("the command did not accept the new content of %s on host %s, so nothing was written: %s. %s",
		f.Path, h.Name(), fmt.Sprintf(format, args...), output)
}

// validateError returns an error about the validate command. It has the path of
// write_options, because Terraform only shows the line of top-level attributes.
func validateError(format string, args ...any) error {
	return diag.AttributeErrorf("write_options", "validate: "+format, args...)
}
