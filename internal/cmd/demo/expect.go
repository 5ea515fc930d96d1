package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// expectPlan plans, and fails where other changes are planned than those given,
// which are in order of their addresses.
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

// list prints what is in the managed folder.
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

// resourceBlocks are the parts of a plan's text that say what happens to
// resources. What was noticed comes before "will perform the following actions"
// and would show everything twice.
func resourceBlocks(plan string) string {
	_, actions, found := strings.Cut(plan, "perform the following actions:")
	if !found {
		return plan
	}
	var b strings.Builder
	for line := range strings.Lines(actions) {
		if strings.HasPrefix(line, "Plan:") {
			break
		}
		if strings.TrimSpace(line) != "" {
			b.WriteString("   " + line)
		}
	}
	return b.String()
}
