package resources_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// Acceptance tests drive the provider by a real engine. Those with steps serve
// it in this process; those that need what steps cannot do let the engine start
// the program, which is built once.

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "posix-acc-")
	if err != nil {
		return "", err
	}
	built, err := acctest.Build(context.Background(), dir, "posix", "github.com/posixform/terraform-provider-posix")
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	programDir.Store(dir, true)
	return built, nil
})

// programDir has the folder of the program once it is built.
var programDir sync.Map

func TestMain(m *testing.M) {
	code := m.Run()
	for dir := range programDir.Range {
		if err := os.RemoveAll(dir.(string)); err != nil { //nolint:forcetypeassert // stored above
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// workdir is a folder in which the engine starts the program.
func workdir(t *testing.T) *acctest.Workdir {
	t.Helper()
	acctest.Engine(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return acctest.NewWorkdir(t, path)
}

var factories = acctest.Factories("posix", func() (provider.Interface, error) { return resources.New("test") })

// tempDir is a folder by its real path: where the temporary folder is reached
// through a link, errors would name another.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// expand gives configuration its folder, which it writes as DIR.
func expand(dir, config string) string { return strings.ReplaceAll(config, "DIR", dir) }

// changes is what a plan does: actions and the attributes that change, by
// address. What is left alone is not in it, imported and moved objects are.
type changes map[string]string

// CheckPlan is part of [plancheck.PlanCheck].
func (want changes) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	got := changes{}
	for _, rc := range req.Plan.ResourceChanges {
		if !strings.HasPrefix(rc.Type, "posix_") {
			continue
		}
		var words []string
		for _, action := range rc.Change.Actions {
			words = append(words, string(action))
		}
		text := strings.Join(words, "+")
		if rc.Change.Importing != nil {
			text = "import " + text
		}
		if rc.PreviousAddress != "" {
			text = "move " + text
		}
		for _, name := range resourcetest.Changed(rc.Change) {
			text += " " + name
		}
		if text != "no-op" {
			got[rc.Address] = text
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		resp.Error = fmt.Errorf("planned changes (-want +got):\n%s", diff)
	}
}

// everything is what there is below a folder: a line of type, permissions and
// content or target for each name.
func everything(dir string) (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content string
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = " " + string(b)
		case info.Mode()&fs.ModeSymlink != 0:
			if content, err = os.Readlink(path); err != nil {
				return err
			}
			found[strings.TrimPrefix(path, dir+"/")] = "-> " + content
			return nil
		}
		found[strings.TrimPrefix(path, dir+"/")] = info.Mode().String() + content
		return nil
	})
	return found, err
}

// onDisk checks what there is below a folder, all of it.
func onDisk(dir string, want map[string]string) error {
	got, err := everything(dir)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("on disk (-want +got):\n%s", diff)
	}
	return nil
}

// check runs after a step is applied. The framework's own checks are given the
// state in a form that has no place for for_each; these want no state.
type check func() error

// CheckState is part of [statecheck.StateCheck].
func (c check) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = c()
}

// disk checks what there is on disk after a step.
func disk(dir string, want map[string]string) check {
	return func() error { return onDisk(dir, want) }
}

// nothing checks that a folder is empty when everything is destroyed.
func nothing(dir string) func(*terraform.State) error {
	return func(*terraform.State) error { return onDisk(dir, map[string]string{}) }
}

// must stops a test where something that it prepares goes wrong.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// put makes a file as somebody else would: the old one, if any, is written into.
func put(path, content string, mode fs.FileMode) error {
	return errors.Join(os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode))
}

// replaceAll replaces the first, third, … text by the one after it.
func replaceAll(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }

// inodes are these files as they are now.
func inodes(t *testing.T, dir string, names ...string) map[string]os.FileInfo {
	t.Helper()
	found := map[string]os.FileInfo{}
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		found[name] = info
	}
	return found
}
