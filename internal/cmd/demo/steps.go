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

// step is a part of the demo and what it proves.
type step struct {
	name   string
	proves string
	run    func(context.Context) error
}

func (s step) title(n int) string {
	return fmt.Sprintf("\n== %d. %s: %s", n, s.name, s.proves)
}

// do prints the title first, so that a person sees what is being waited for.
func (s step) do(ctx context.Context, title string) error {
	fmt.Println(title)
	return s.run(ctx)
}

func (d *demo) steps() []step {
	return []step{
		{"apply", "a plan becomes real files", d.create},
		{"drift", "a change behind its back is found, and nothing else is", d.drift},
		{"repair", "apply puts it right, and then there is nothing to do", d.repair},
		{"import", "a file that was already there is taken over, untouched", d.takeOver},
		{"destroy", "what was managed is gone, and nothing is left", d.destroy},
	}
}

// Contents as examples/quickstart has them.
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
		return fmt.Errorf("the link points to %q: %w", target, err)
	}
	return d.list()
}

func (d *demo) drift(ctx context.Context) error {
	path := d.path("site/index.html")
	fmt.Printf("   somebody edits %s\n", path)
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
		return fmt.Errorf("planned another %q, want only content and what is known of it", got)
	}
	fmt.Print(resourceBlocks(text))
	return nil
}

func (d *demo) repair(ctx context.Context) error {
	if err := d.applyPlan(ctx); err != nil {
		return err
	}
	if err := expectFile(d.path("site/index.html"), indexText, 0o644); err != nil {
		return err
	}
	fmt.Println("   site/index.html is as configured again")
	if err := d.expectPlan(ctx); err != nil {
		return err
	}
	fmt.Println("   the next plan is empty")
	return nil
}

func (d *demo) takeOver(ctx context.Context) error {
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
	fmt.Printf("   notes.txt is in the state now, and is still of %s\n", info.ModTime().UTC().Format(time.DateOnly))
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
