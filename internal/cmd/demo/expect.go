package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// expectPlan plans, and returns an error unless the changes are exactly want, which
// is sorted by address.
func (d *demo) expectPlan(ctx context.Context, want ...string) error {
	changes, _, err := d.plan(ctx)
	if err != nil {
		return err
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.String())
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("planned %q, want %q", got, want)
	}
	return nil
}

func expectFile(path, content string, mode fs.FileMode) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if string(got) != content || info.Mode() != mode {
		return fmt.Errorf("%s is %s with content %q, want %s with %q", path, info.Mode(), got, mode, content)
	}
	return nil
}

// list prints the content of the managed directory.
func (d *demo) list() error {
	files := os.DirFS(d.files)
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var note string
		switch {
		case info.Mode().IsRegular():
			content, err := fs.ReadFile(files, path)
			if err != nil {
				return err
			}
			note, _, _ = strings.Cut(string(content), "\n")
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := fs.ReadLink(files, path)
			if err != nil {
				return err
			}
			note = "-> " + target
		}
		mode := strings.ToLower(info.Mode().String()) // Go says L for a link, ls says l
		fmt.Println(strings.TrimRight(fmt.Sprintf("   %s  %-18s %s", mode, path, note), " "))
		return nil
	})
}

// resourceChanges returns the part of a plan's text that describes the changes: what
// follows "will perform the following actions", up to the line with the totals. The
// note about changes outside of the command, which repeats them, comes before.
func resourceChanges(plan string) string {
	_, actions, _ := strings.Cut(plan, "perform the following actions:")
	var b strings.Builder
	for line := range strings.Lines(actions) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}
		if strings.HasPrefix(line, "Plan:") {
			break
		}
	}
	return b.String()
}

// expectRecorded compares the text of a plan with the recorded text, if the demo has
// one.
func (d *demo) expectRecorded(text string) error {
	switch {
	case d.recorded == "":
		return nil
	case d.update:
		return os.WriteFile(d.recorded, []byte(text), 0o600)
	}
	want, err := os.ReadFile(d.recorded)
	if err != nil {
		return err
	}
	if text != string(want) {
		return fmt.Errorf("the plan is not the one in %s: run make record-demo and make generate, and commit both results", d.recorded)
	}
	return nil
}
