package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// step is a part of the demo and the claim that it checks.
type step struct {
	name  string
	claim string
	run   func(context.Context) error
}

func (s step) title(n int) string {
	return fmt.Sprintf("\n== %d. %s: %s", n, s.name, s.claim)
}

// do prints the title and runs the step.
func (s step) do(ctx context.Context, title string) error {
	fmt.Println(title)
	return s.run(ctx)
}

func (d *demo) steps() []step {
	return []step{
		{"apply", "creates a directory, two files and a symbolic link", d.create},
		{"drift", "the plan shows a file that was edited by hand, and nothing else", d.drift},
		{"repair", "apply restores the file, and the next plan is empty", d.repair},
		{"import", "an existing file is imported without being written", d.importFile},
		{"destroy", "removes everything that was managed", d.destroy},
	}
}

// Contents of the files in examples/quickstart.
const (
	indexText    = "<h1>hello</h1>\n<p>written by a plan</p>\n"
	settingsText = "debug = false\n"
	notesText    = "written by hand, long ago\n"
)

func (d *demo) path(name string) string { return filepath.Join(d.files, name) }

func (d *demo) create(ctx context.Context) error {
	if err := d.expectPlan(ctx,
		"posix_directory.site: create", "posix_file.index: create",
		"posix_file.settings: create", "posix_symlink.current: create",
	); err != nil {
		return err
	}
	if err := d.applyPlan(ctx); err != nil {
		return err
	}
	if err := errors.Join(
		expectFile(d.path("site/index.html"), indexText, 0o644),
		expectFile(d.path("site/settings.ini"), settingsText, 0o600),
	); err != nil {
		return err
	}
	target, err := os.Readlink(d.path("current"))
	if err != nil {
		return err
	}
	if want := d.path("site"); target != want {
		return fmt.Errorf("the symbolic link points to %q, want %q", target, want)
	}
	return d.list()
}

func (d *demo) drift(ctx context.Context) error {
	path := d.path("site/index.html")
	fmt.Printf("   editing %s by hand\n", path)
	if err := os.WriteFile(path, []byte(strings.Replace(indexText, "hello", "hacked", 1)), 0o600); err != nil {
		return err
	}
	changes, text, err := d.plan(ctx)
	if err != nil {
		return err
	}
	if got := fmt.Sprint(changes); got != "[posix_file.index: update]" {
		return fmt.Errorf("planned %s, want only the update of posix_file.index", got)
	}
	if got := changes[0].attributes(); !slices.Equal(got, []string{"content", "sha256"}) {
		return fmt.Errorf("planned a change of %q, want content and sha256", got)
	}
	text = resourceChanges(text)
	for line := range strings.Lines(text) {
		fmt.Print("   ", line)
	}
	return d.expectRecorded(text)
}

func (d *demo) repair(ctx context.Context) error {
	if err := d.applyPlan(ctx); err != nil {
		return err
	}
	if err := expectFile(d.path("site/index.html"), indexText, 0o644); err != nil {
		return err
	}
	fmt.Println("   site/index.html has the configured content again")
	if err := d.expectPlan(ctx); err != nil {
		return err
	}
	fmt.Println("   the next plan is empty")
	return nil
}

func (d *demo) importFile(ctx context.Context) error {
	path := d.path("notes.txt")
	longAgo := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := errors.Join(
		os.WriteFile(path, []byte(notesText), 0o644),
		os.Chmod(path, 0o644),
		os.Chtimes(path, longAgo, longAgo),
		d.addConfig("import/import.tf"),
	); err != nil {
		return err
	}
	if err := d.expectPlan(ctx, "posix_file.notes: import, no-op"); err != nil {
		return err
	}
	if err := d.applyPlan(ctx); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.ModTime().Equal(longAgo) {
		return fmt.Errorf("the import changed the modification time of %s to %s, want no change", path, info.ModTime())
	}
	fmt.Printf("   notes.txt is in the state; its modification time is still %s\n", info.ModTime().UTC().Format(time.DateOnly))
	return d.expectPlan(ctx)
}

func (d *demo) destroy(ctx context.Context) error {
	if _, err := d.tf(ctx, "destroy", "-auto-approve", "-no-color", "-input=false"); err != nil {
		return err
	}
	left, err := os.ReadDir(d.files)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("%s still has %v", d.files, left)
	}
	fmt.Printf("   %s is empty\n", d.files)
	return nil
}

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

// list prints the managed objects on the disk.
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
		mode := strings.ToLower(info.Mode().String()) // Go prints L for a link, ls prints l
		fmt.Println(strings.TrimRight(fmt.Sprintf("   %s  %-18s %s", mode, path, note), " "))
		return nil
	})
}

// resourceChanges returns the part of a plan's text that describes the changes: the
// lines after "perform the following actions:", without blank lines, up to and including
// the line with the totals. The earlier note about changes made outside of OpenTofu or
// Terraform is not included.
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

// expectRecorded compares the text of a plan with the recorded file, if the demo has
// one, or writes the text to the file if update is set.
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
