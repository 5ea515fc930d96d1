package file_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// validatingHost returns a host that calls a function for each command, with the
// information and the content of the file that the last argument names.
func validatingHost(t *testing.T, answer func(ctx context.Context, cmd host.Command, info host.FileInfo, content string) (host.Result, error)) *memory.Host {
	t.Helper()
	var h *memory.Host
	h = memory.New(memory.Config{
		Name:  "town",
		Users: []host.User{{Name: "bob", UID: 1002, GID: 2002}},
		Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
			temp := cmd.Args[len(cmd.Args)-1]
			info, err := h.Lstat(ctx, temp)
			if err != nil {
				t.Errorf("lstat of the last argument of %q: %v", cmd.Args, err)
			}
			return answer(ctx, cmd, info, contentOf(t, h, temp))
		},
	})
	return h
}

func list(elements ...string) cty.Value {
	values := make([]cty.Value, len(elements))
	for i, e := range elements {
		values[i] = str(e)
	}
	return cty.ListVal(values)
}

// rejectBad is a command that rejects content with the word bad.
func rejectBad(_ context.Context, cmd host.Command, _ host.FileInfo, content string) (host.Result, error) {
	if !strings.Contains(content, "bad") {
		return host.Result{}, nil
	}
	_, err := fmt.Fprintf(cmd.Stderr, "line 1: %s\n", content)
	return host.Result{ExitCode: 3}, err
}

// TestValidateSeesTheNewFile checks that the command gets the complete new file, with its
// final mode and owner, before the rename, and that it runs only when content is written.
func TestValidateSeesTheNewFile(t *testing.T) {
	t.Parallel()
	var h *memory.Host
	var ran []string
	h = validatingHost(t, func(ctx context.Context, cmd host.Command, info host.FileInfo, content string) (host.Result, error) {
		old := "nothing"
		if _, err := h.Lstat(ctx, "/o"); err == nil {
			old = contentOf(t, h, "/o")
		}
		ran = append(ran, fmt.Sprintf("%q: %s %s %s over %s", cmd.Args[:len(cmd.Args)-1], content, info.Mode, info.Owner, old))
		if cmd.Stdin != nil || cmd.Dir != "" || len(cmd.Env) > 0 {
			t.Errorf("the command has input, a directory or variables, want only arguments: %+v", cmd)
		}
		return host.Result{}, nil
	})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	wantRan := func(want ...string) {
		t.Helper()
		if !slices.Equal(ran, want) {
			t.Errorf("ran %q, want %q", ran, want)
		}
		ran = nil
	}
	set := attrs{"path": str("/o"), "content": str("one"), "mode": str("0440"), "owner": str("bob"), "write_options": options(attrs{"validate": list("check", "100%%", "%s")})}
	o.Apply(set)
	wantRan(`["check" "100%"]: one 0440 bob over nothing`)
	set["content"] = str("two")
	o.Apply(set)
	wantRan(`["check" "100%"]: two 0440 bob over one`)

	// Changes of the mode and the command do not write content.
	set["mode"] = str("0400")
	o.Apply(set)
	set["write_options"] = options(attrs{"validate": list("check", "again", "%s")})
	o.Changes(set, "write_options")
	o.Apply(set)
	wantRan()
	// Repairing drift runs the new command.
	if _, err := h.WriteFile(t.Context(), "/o", strings.NewReader("hand"), host.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	o.Apply(set)
	wantRan(`["check" "again"]: two 0400 bob over hand`)
	// A file with the same content is adopted without running the command.
	o.Forget()
	o.Provider = resourcetest.NewOn(t, types, h)
	o.Apply(set)
	wantRan()
}

func TestValidateRejects(t *testing.T) {
	t.Parallel()
	h := validatingHost(t, rejectBad)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/d/o"), "content": str("bad one"), "write_options": options(attrs{"validate": list("check", "%s")})}
	refused := func(want ...string) {
		t.Helper()
		diags := o.ApplyPlan(set, o.Plan(set))
		resourcetest.WantError(t, diags, "write_options", append(want, "/d/o", "host town", "check ended with exit code 3")...)
		if strings.Contains(diags.Error(), "posix-tmp") || strings.Contains(diags.Error(), "before replace") {
			t.Errorf("the error has internal details: %v", diags)
		}
		entries, err := h.ReadDir(t.Context(), "/d")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name != "o" {
				t.Errorf("%s is left in /d, want only o", e.Name)
			}
		}
	}
	refused("It printed:\n\nline 1: bad one")
	if !o.State.IsNull() {
		t.Error("a file that was not created is in the state")
	}
	set["content"] = str("good")
	o.Apply(set)
	set["content"] = str("bad two")
	refused("line 1: bad two")
	if got := contentOf(t, h, "/d/o"); got != "good" {
		t.Errorf("the file has %q, want good", got)
	}
	set["write_options"] = options(attrs{"validate": list("check", "%s"), "validate_output": cty.False})
	refused("is not shown, since write_options.validate_output is false")
	secretly := attrs{"path": str("/d/o"), "content_wo": str("bad secret"), "content_wo_version": str("1"), "write_options": options(attrs{"validate": list("check", "%s"), "validate_output": cty.True})}
	set = secretly
	refused("is not shown, since it may contain content_wo")
	for _, shown := range []cty.Value{cty.False, cty.True} {
		set["write_options"] = options(attrs{"validate": list("check", "%s"), "validate_output": shown})
		if text := o.ApplyPlan(set, o.Plan(set)).Error(); strings.Contains(text, "secret") || strings.Contains(text, "line 1") {
			t.Errorf("the error contains the secret or the output: %s", text)
		}
	}
	// With valid content, the apply succeeds.
	set["content_wo"] = str("good secret")
	o.Apply(set)
}

// TestValidateFailures checks that each way in which a command can fail, other than a timeout, has its
// own message, and which output the message contains.
func TestValidateFailures(t *testing.T) {
	t.Parallel()
	prints := func(text string) func(host.Command) {
		return func(cmd host.Command) { _, _ = io.WriteString(cmd.Stdout, text) }
	}
	for name, tt := range map[string]struct {
		say    func(host.Command)
		result host.Result
		err    error
		want   []string
	}{
		"no output":           {result: host.Result{ExitCode: 1}, want: []string{"exit code 1. There is no output."}},
		"command not found":   {result: host.Result{ExitCode: 127}, want: []string{"exit code 127", "Is it installed on the host?"}},
		"signal":              {result: host.Result{ExitCode: 137, Signal: "KILL"}, want: []string{"was ended by the signal KILL"}},
		"command not started": {err: &host.NotStartedError{Err: errors.New("too many processes")}, want: []string{"could not be validated", "too many processes"}},
		"terminal sequences":  {say: prints("\x1b[1;31mred\x1b[0m\r\n\x00\xff"), result: host.Result{ExitCode: 1}, want: []string{"It printed:\n\nred\n\uFFFD"}},
		"much output":         {say: prints("first\n" + strings.Repeat("a line\n", 1000) + "last one"), result: host.Result{ExitCode: 1}, want: []string{"It printed:\n\n…\na line\na line\n", "a line\nlast one"}},
		"one long line":       {say: prints(strings.Repeat("x", 5000) + "\n"), result: host.Result{ExitCode: 1}, want: []string{"It printed:\n\n…\nxxx"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := validatingHost(t, func(_ context.Context, cmd host.Command, _ host.FileInfo, _ string) (host.Result, error) {
				if tt.say != nil {
					tt.say(cmd)
				}
				return tt.result, tt.err
			})
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
			set := attrs{"path": str("/o"), "content": str("one"), "write_options": options(attrs{"validate": list("check", "%s")})}
			diags := o.ApplyPlan(set, o.Plan(set))
			resourcetest.WantError(t, diags, "write_options", append(tt.want, "/o", "host town")...)
			if text := diags.Error(); len(text) > 2500 || strings.Contains(text, "first") {
				t.Errorf("the error has %d bytes, want at most 2500, without the first line of the output: %s", len(text), text)
			}
			if _, err := h.Lstat(t.Context(), "/o"); err == nil {
				t.Error("the file was written")
			}
		})
	}
}

// TestValidateEnds checks that a command that does not end is killed after the timeout, and
// that stopping the run returns a different error.
func TestValidateEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := validatingHost(t, func(ctx context.Context, _ host.Command, _ host.FileInfo, _ string) (host.Result, error) {
			<-ctx.Done()
			return host.Result{}, ctx.Err()
		})
		o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
		set := attrs{"path": str("/o"), "content": str("one"), "write_options": options(attrs{"validate": list("check", "%s")})}
		resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "write_options", "check did not end within 5m0s")

		plan := o.Plan(set)
		go func() {
			synctest.Wait()
			_ = o.Provider.Stop(context.Background())
		}()
		diags := o.ApplyPlan(set, plan)
		if !diags.HasErrors() || strings.Contains(diags.Error(), "did not end within") {
			t.Errorf("the error of a stopped run is %v, want an error that is not a timeout", diags)
		}
	})
}

func TestValidateConfiguration(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		argv []string
		want []string // words of the error; none if the command is valid
	}{
		"placeholder as an argument":       {argv: []string{"visudo", "-cf", "%s"}},
		"placeholder within an argument":   {argv: []string{"check", "--file=%s"}},
		"placeholder as the program":       {argv: []string{"%s", "--check"}},
		"escaped percent sign":             {argv: []string{"check", "%%s", "%s"}},
		"shell with a parameter":           {argv: []string{"sh", "-c", `test "$1"`, "sh", "%s"}},
		"option -c of another program":     {argv: []string{"tar", "-c", "%s"}},
		"shell script file":                {argv: []string{"sh", "/opt/check.sh", "%s"}},
		"empty program":                    {[]string{"", "%s"}, []string{"the first element must be a program"}},
		"no placeholder":                   {[]string{"check", "%%s"}, []string{"%s, the path of the temporary file", "is missing"}},
		"two placeholders":                 {[]string{"check", "%s", "%s"}, []string{"occurs 2 times"}},
		"two placeholders in one argument": {[]string{"check", "%s%s"}, []string{"occurs 2 times"}},
		"unknown placeholder":              {[]string{"check", "%d", "%s"}, []string{"validate[1]", "by another percent sign"}},
		"trailing percent sign":            {[]string{"check", "%s", "100%"}, []string{"validate[2]", "by another percent sign"}},
		"placeholder in a shell script":    {[]string{"sh", "-c", "visudo -cf %s"}, []string{"validate[2]", `Use "$1" in the script`}},
		"placeholder in a bash script":     {[]string{"/bin/bash", "-ec", "visudo -cf '%s'"}, []string{"validate[2]", "shell script"}},
		"shell run by another program":     {[]string{"env", "LC_ALL=C", "busybox", "sh", "-c", "cat %s"}, []string{"validate[5]", "shell script"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := newFile(t).Validate(attrs{"path": str("/a"), "content": str(""), "write_options": options(attrs{"validate": list(tt.argv...)})})
			if len(tt.want) > 0 {
				resourcetest.WantError(t, diags, "write_options", tt.want...)
			} else if diags.HasErrors() {
				t.Error(diags)
			}
		})
	}
	diags := newFile(t).Validate(attrs{"path": str("/a"), "content": str(""), "write_options": options(attrs{"validate": cty.ListValEmpty(cty.String)})})
	resourcetest.WantError(t, diags, "write_options", "the first element must be a program")
	// Unknown elements are checked once they are known.
	if diags := newFile(t).Plan(attrs{"path": str("/a"), "content": str(""), "write_options": options(attrs{"validate": cty.ListVal([]cty.Value{str("check"), cty.UnknownVal(cty.String)})})}).Diagnostics; diags.HasErrors() {
		t.Error(diags)
	}
}
