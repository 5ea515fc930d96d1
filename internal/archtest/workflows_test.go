package archtest_test

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	ctyyaml "github.com/zclconf/go-cty-yaml"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// workflow has the fields of a file in .github/workflows, or of the action.yml of an
// action, that the tests read.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Timeout  int `json:"timeout-minutes"`
		Strategy struct{ Matrix map[string]any }
		Steps    []step
	}
	Runs struct{ Steps []step } // of an action
}

type step struct {
	Uses, Run string
	With      map[string]any
}

// workflows returns the workflows and the actions of the repository by path.
func workflows(tb testing.TB) map[string]workflow {
	tb.Helper()
	found := map[string]workflow{}
	for _, file := range files(tb) {
		isAction := path.Base(file) == "action.yml"
		if path.Dir(file) != ".github/workflows" && !isAction {
			continue
		}
		var w workflow
		readYAML(tb, file, &w)
		if isAction == (len(w.Runs.Steps) == 0) || isAction == (len(w.Jobs) > 0) {
			tb.Fatalf("%s must have steps and no jobs if it is an action, otherwise jobs and no steps", file)
		}
		found[file] = w
	}
	return found
}

// readYAML decodes a file as encoding/json would decode the same data.
func readYAML(tb testing.TB, file string, into any) {
	tb.Helper()
	text := []byte(readFile(tb, file))
	ty, err := ctyyaml.ImpliedType(text)
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	value, err := ctyyaml.Unmarshal(text, ty)
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	data, err := ctyjson.Marshal(value, ty)
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
}

func readFile(tb testing.TB, file string) string {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		tb.Fatal(err)
	}
	return string(content)
}

// steps returns the steps of an action or of all jobs, with the values of the
// job's matrix in the commands.
func (w workflow) steps() []step {
	all := slices.Clone(w.Runs.Steps)
	for _, j := range w.Jobs {
		for _, s := range j.Steps {
			s.Run = expandMatrix(s.Run, j.Strategy.Matrix)
			all = append(all, s)
		}
	}
	return all
}

var matrixValue = regexp.MustCompile(`\$\{\{ *matrix\.([a-z-]+) *\}\}`)

// expandMatrix repeats a command for each value of the matrix variable in it.
func expandMatrix(command string, matrix map[string]any) string {
	name := matrixValue.FindStringSubmatch(command)
	if name == nil {
		return command
	}
	values, _ := matrix[name[1]].([]any)
	include, _ := matrix["include"].([]any)
	for _, entry := range include {
		if fields, ok := entry.(map[string]any); ok {
			values = append(values, fields[name[1]])
		}
	}
	var commands strings.Builder
	for _, value := range values {
		if text, ok := value.(string); ok {
			commands.WriteString(strings.ReplaceAll(command, name[0], text) + "\n")
		}
	}
	return commands.String()
}

var (
	makeCommand = regexp.MustCompile(`(?m)(?:^|[;&|(])[ \t]*(?:(?:exec|sudo|env|\S+=\S+)[ \t]+)*make[ \t]+([^;&|)#\n]+)`)
	makeRule    = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*):(?:[^=]|$)`)
	makeSteps   = regexp.MustCompile(`(?m)^CI_STEPS[ \t]*:=(.*)$`)
	makeCI      = regexp.MustCompile(`(?m)^ci:.*\$\(CI_STEPS\)|^ci:.*(?:\n\t.*)*\n\t.*\$\(CI_STEPS\)`)
)

// makeTargets returns the targets that shell commands pass to make.
func makeTargets(commands string) []string {
	var targets []string
	for _, call := range makeCommand.FindAllStringSubmatch(commands, -1) {
		for word := range strings.FieldsSeq(call[1]) {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				targets = append(targets, word)
			}
		}
	}
	return targets
}

func (w workflow) targets() []string {
	var targets []string
	for _, s := range w.steps() {
		targets = append(targets, makeTargets(s.Run)...)
	}
	return targets
}

// TestWorkflowsCallMake checks that workflows and .ci/run call only existing targets of
// make, and each target that they must call, such as the steps of make ci in ci.yml.
func TestWorkflowsCallMake(t *testing.T) {
	t.Parallel()
	makefile := readFile(t, "Makefile")
	var rules []string
	for _, rule := range makeRule.FindAllStringSubmatch(makefile, -1) {
		rules = append(rules, strings.Fields(rule[1])...)
	}
	called := map[string][]string{".ci/run": makeTargets(readFile(t, ".ci/run"))}
	for file, w := range workflows(t) {
		called[file] = w.targets()
	}
	for file, targets := range called {
		for _, target := range targets {
			if !slices.Contains(rules, target) {
				t.Errorf("%s calls make %s, which is not in the Makefile", file, target)
			}
		}
	}
	found := makeSteps.FindStringSubmatch(makefile)
	if found == nil || !makeCI.MatchString(makefile) {
		t.Fatal("the Makefile has no line CI_STEPS := ..., or its target ci does not use $(CI_STEPS)")
	}
	steps := strings.Fields(found[1])
	if len(steps) == 0 {
		t.Error("CI_STEPS in the Makefile is empty")
	}
	for file, want := range map[string][]string{
		".ci/run":                       {"test", "ci"},
		".github/workflows/ci.yml":      append(steps, "test"),
		".github/workflows/nightly.yml": {"check-all", "vuln"},
		".github/workflows/release.yml": {"test", "release"},
	} {
		for _, target := range want {
			if !slices.Contains(called[file], target) {
				t.Errorf("%s does not call make %s; it calls %v", file, target, called[file])
			}
		}
	}
}

// TestWorkflowsAreLimited checks that each job has a time limit, that tokens can only
// read the repository by default, and that no third-party action is used.
func TestWorkflowsAreLimited(t *testing.T) {
	t.Parallel()
	all := workflows(t)
	for file, w := range all {
		if len(w.Jobs) > 0 && !maps.Equal(w.Permissions, map[string]string{"contents": "read"}) {
			t.Errorf("%s: the permissions are %v, want only contents: read; grant other permissions to the job that needs them", file, w.Permissions)
		}
		for name, j := range w.Jobs {
			if j.Timeout <= 0 {
				t.Errorf("%s: job %s has no timeout-minutes", file, name)
			}
		}
		for _, s := range w.steps() {
			local, isLocal := strings.CutPrefix(s.Uses, "./")
			_, exists := all[path.Join(local, "action.yml")]
			if s.Uses != "" && !strings.HasPrefix(s.Uses, "actions/") && (!isLocal || !exists) {
				t.Errorf("%s uses %s, which is neither an action of the GitHub organization actions nor one of this repository", file, s.Uses)
			}
		}
	}
}

var goDirective = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)

// TestWorkflowsHaveTheNewestGo checks that CI installs the Go version of each go.mod.
func TestWorkflowsHaveTheNewestGo(t *testing.T) {
	t.Parallel()
	setups := 0
	for file, w := range workflows(t) {
		for _, s := range w.steps() {
			if !strings.HasPrefix(s.Uses, "actions/setup-go@") {
				continue
			}
			setups++
			for _, mod := range goMods(t) {
				version := goDirective.FindStringSubmatch(readFile(t, mod))
				if len(version) < 2 || s.With["go-version"] != version[1]+".x" {
					t.Errorf("%s installs Go %v, but %s has %v", file, s.With["go-version"], mod, version)
				}
			}
		}
	}
	if setups == 0 {
		t.Error("no workflow uses actions/setup-go")
	}
}

func goMods(tb testing.TB) []string {
	tb.Helper()
	return slices.DeleteFunc(files(tb), func(file string) bool { return path.Base(file) != "go.mod" })
}

// TestDependabotHasEachModule checks that the configuration of Dependabot has the
// directory of each module and action, and no others.
func TestDependabotHasEachModule(t *testing.T) {
	t.Parallel()
	var config struct {
		Updates []struct {
			Ecosystem   string `json:"package-ecosystem"`
			Directories []string
		}
	}
	readYAML(t, ".github/dependabot.yml", &config)
	got := map[string][]string{}
	for _, update := range config.Updates {
		got[update.Ecosystem] = append(got[update.Ecosystem], update.Directories...)
	}
	want := map[string][]string{"github-actions": {"/"}} // the workflows
	for _, file := range files(t) {
		dir := path.Join("/", path.Dir(file))
		switch path.Base(file) {
		case "go.mod":
			want["gomod"] = append(want["gomod"], dir)
		case "action.yml":
			want["github-actions"] = append(want["github-actions"], dir)
		}
	}
	for ecosystem, dirs := range want {
		slices.Sort(got[ecosystem])
		slices.Sort(dirs)
		if !slices.Equal(got[ecosystem], dirs) {
			t.Errorf(".github/dependabot.yml: directories for %s are %v, want %v", ecosystem, got[ecosystem], dirs)
		}
	}
}
