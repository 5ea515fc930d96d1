package main

import (
	"context"
	"errors"
	"fmt"
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

// do prints the title before the step runs.
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
	if target, err := os.Readlink(d.path("current")); err != nil || target != d.path("site") {
		return fmt.Errorf("the symbolic link points to %q: %w", target, err)
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
	if got := changes[0].attributes(); !slices.Equal(got, []string{"content", "sha256", "size"}) {
		return fmt.Errorf("planned a change of %q, want content, sha256 and size", got)
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
		return fmt.Errorf("%s was written to at %s", path, info.ModTime())
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
