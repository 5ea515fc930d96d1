package scenarios_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/planjson"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/states"
)

// envSeed is the environment variable with the seed of the only life to run, and to
// shrink if the results differ; or with the first and the last seed to run, such as
// 100-199.
const envSeed = "ENGINE_SEED"

// batchSize is the maximum number of lives that share a configuration, because starting the
// command takes most of the time.
const batchSize = 10

// TestDifferential runs generated and written configurations with the engine and the real command,
// and compares messages, calls, plans and states. Of a message, it compares severity, address
// and summary. Generated lives that succeed in the engine are joined into larger configurations.
// With a single seed, only the life of that seed runs.
func TestDifferential(t *testing.T) {
	t.Parallel()
	cli := acctest.NeedsCLI(t)
	if cli.Kind != tfcli.OpenTofu {
		t.Skipf("the test compares with OpenTofu, and the command is %s", cli)
	}
	d := differential{commandLine{cli.Path}, inProcess{engine.OpenTofu}, cli.Version}
	first, last := seedsOf(t)
	if first == last {
		l := newLife(first)
		if diff := d.diff(t, l); diff != "" {
			l = d.shrunk(t, l)
			t.Errorf("seed %d:\n%s\n%s", first, l, d.diff(t, l))
		}
		return
	}
	for n, l := range written {
		t.Run(fmt.Sprintf("written %d", n+1), func(t *testing.T) {
			t.Parallel()
			if diff := d.diff(t, l); diff != "" {
				t.Errorf("%s\n%s", l, diff)
			}
		})
	}
	var valid []life
	for seed := first; seed <= last; seed++ {
		l := newLife(seed)
		switch results := d.engine.life(t, steps(l), d.version); {
		case slices.ContainsFunc(results, func(r result) bool { return r.outcome.Failed }):
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				t.Parallel()
				if diff := d.diff(t, l); diff != "" {
					t.Errorf("the results differ; set %s=%d to shrink this life:\n%s\n%s", envSeed, seed, l, diff)
				}
			})
		default:
			valid = append(valid, l)
		}
	}
	for batch := range slices.Chunk(valid, batchSize) {
		t.Run(fmt.Sprintf("seeds %d to %d", batch[0].seed, batch[len(batch)-1].seed), func(t *testing.T) {
			t.Parallel()
			whole := d.diff(t, batch...)
			if whole == "" {
				return
			}
			for _, l := range batch {
				if diff := d.diff(t, l); diff != "" {
					t.Errorf("the results differ; set %s=%d to shrink this life:\n%s\n%s", envSeed, l.seed, l, diff)
				}
			}
			if !t.Failed() {
				t.Errorf("the results of %s differ only if its lives run together:\n%s", t.Name(), whole)
			}
		})
	}
}

// seedsOf returns the first and the last seed to run.
func seedsOf(t *testing.T) (first, last uint64) {
	t.Helper()
	text := os.Getenv(envSeed)
	if text == "" {
		return 0, tier.Pick[uint64](10, 50, 309) - 1
	}
	from, to, several := strings.Cut(text, "-")
	if !several {
		to = from
	}
	first, err1 := strconv.ParseUint(from, 10, 64)
	last, err2 := strconv.ParseUint(to, 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatalf("%s: %v", envSeed, err)
	}
	return first, last
}

// TestLives checks in every tier that the engine has the same results for the same life
// each time.
func TestLives(t *testing.T) {
	t.Parallel()
	e := inProcess{engine.OpenTofu}
	for seed := range uint64(10) {
		first := e.life(t, steps(newLife(seed)), "")
		if diff := compareResults(first, e.life(t, steps(newLife(seed)), "")); diff != "" {
			t.Errorf("two runs of seed %d have different results:\n%s", seed, diff)
		}
	}
}

// differential compares the engine with a command.
type differential struct {
	command commandLine
	engine  inProcess
	version string
}

// result is the result of one step.
type result struct {
	outcome Outcome
	// plan has the values in the JSON form of the plan by their paths; it is nil if the
	// plan failed.
	plan map[string]string
}

// steps returns the steps that run the lives together. A shorter life keeps its last configuration,
// and the last step destroys everything.
func steps(lives ...life) []Step {
	length := 0
	for _, l := range lives {
		length = max(length, len(l.steps))
	}
	var out []Step
	for n := range length + 1 {
		step := Step{Command: []string{"apply"}}
		if n == length {
			step.Command = []string{"destroy"}
		}
		var joined []generation
		for _, l := range lives {
			g := l.steps[min(n, len(l.steps)-1)]
			if n >= len(l.steps) {
				g = slices.DeleteFunc(slices.Clone(g), func(b block) bool { return b.file == sectionBehaviour })
			}
			joined = append(joined, g)
		}
		step.Files, step.Behaviour = files(joined...)
		out = append(out, step)
	}
	return out
}

// String returns the blocks of each step, with the names of their files.
func (l life) String() string {
	var b strings.Builder
	for n, g := range l.steps {
		fmt.Fprintf(&b, "=== step %d\n", n+1)
		for _, block := range g {
			fmt.Fprintf(&b, "# %s\n%s\n", block.file, block.text)
		}
	}
	return b.String()
}

// diff returns the first difference between the results of the command and the engine, or "".
func (d differential) diff(t *testing.T, lives ...life) string {
	t.Helper()
	return compareResults(d.command.life(t, steps(lives...)), d.engine.life(t, steps(lives...), d.version))
}

func compareResults(want, got []result) string {
	for n := range min(len(want), len(got)) {
		w, g := want[n], got[n]
		if w.plan == nil { // which calls and changes come before the failure of a plan is not fixed
			w.outcome.Calls, g.outcome.Calls, w.outcome.Plans, g.outcome.Plans = nil, nil, nil, nil
		}
		g.outcome.Messages = addressed(g.outcome.Messages, w.outcome.Messages)
		s := &Scenario{Steps: make([]Step, n+1), AnyOrder: true}
		text, other := normalised(w.outcome).text(s, n), normalised(g.outcome).text(s, n)
		if diff := cmp.Diff(text, Unaddressed(other, text)); diff != "" {
			return fmt.Sprintf("step %d (-command +engine):\n%s", n+1, diff)
		}
		if (w.plan == nil) != (g.plan == nil) {
			return fmt.Sprintf("plan of step %d: the command has a plan: %t, the engine has a plan: %t", n+1, w.plan != nil, g.plan != nil)
		}
		if diff := cmp.Diff(w.plan, g.plan); diff != "" {
			return fmt.Sprintf("plan of step %d (-command +engine):\n%s", n+1, diff)
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("the command has %d steps, the engine %d", len(want), len(got))
	}
	return ""
}

// addressed returns the messages that the text of the command's outcome can have. It omits a message
// that the command reports only without an address, if the command reports a message of the same
// severity and summary with another address.
func addressed(messages, command []Message) []Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m Message) bool {
		bare, others := m, false
		bare.Address = ""
		for _, c := range command {
			others = others || c.Address != "" && c.Severity == m.Severity && c.Summary == m.Summary
		}
		return others && slices.Contains(command, bare) && !slices.Contains(command, m)
	})
}

// normalised returns the outcome without the parts that may differ: the objects of a
// cycle, and how often ephemeral resources are opened and closed. The engine opens them in some
// plans and applies that do not need them.
func normalised(o Outcome) Outcome {
	o.Messages = slices.Clone(o.Messages)
	for i, m := range o.Messages {
		if strings.HasPrefix(m.Summary, "Cycle: ") {
			o.Messages[i].Summary = "Cycle"
		}
	}
	opened := map[Call]bool{}
	o.Calls = slices.DeleteFunc(slices.Clone(o.Calls), func(c Call) bool {
		again := opened[c]
		opened[c] = strings.HasPrefix(c.Object, "wrong_lease")
		return again
	})
	return o
}

// shrunk returns the life without steps and blocks that a difference does not need. The
// result may have another difference of the same kind.
func (d differential) shrunk(t *testing.T, l life) life {
	t.Helper()
	kind := kindOf(d.diff(t, l))
	for again := true; again; {
		again = false
		for _, smaller := range l.smaller() {
			if kindOf(d.diff(t, smaller)) == kind {
				l, again = smaller, true
				break
			}
		}
	}
	return l
}

// kindOf returns the properties of a difference that stay the same while the life is shrunk: whether
// there is a difference, whether it is in a plan, and whether it shows a failed command.
func kindOf(diff string) string {
	return fmt.Sprint(diff == "", strings.HasPrefix(diff, "plan"), strings.Contains(diff, ": fails"))
}

// smaller returns copies of the life, each without one step, or without one block in all steps.
func (l life) smaller() []life {
	var out []life
	for n := range l.steps {
		if len(l.steps) > 1 {
			out = append(out, life{l.seed, slices.Delete(slices.Clone(l.steps), n, n+1)})
		}
	}
	tried := map[block]bool{}
	for _, g := range l.steps {
		for _, drop := range g {
			if tried[drop] {
				continue
			}
			tried[drop] = true
			without := life{seed: l.seed}
			for _, g := range l.steps {
				without.steps = append(without.steps, slices.DeleteFunc(slices.Clone(g), func(b block) bool { return b == drop }))
			}
			out = append(out, without)
		}
	}
	return out
}

// life runs steps until a plan fails, and returns their results.
func (cli commandLine) life(t *testing.T, steps []Step) []result {
	t.Helper()
	dir := t.TempDir()
	var out []result
	for _, step := range steps {
		server := newServer(t, step)
		writeFiles(t, dir, step.Files)
		running, stop := served(t, server)
		words := []string{"plan", "-out=plan"}
		if step.Command[0] == "destroy" {
			words = append(words, "-destroy")
		}
		r := result{outcome: cli.command(t, dir, running, words)}
		planned := !r.outcome.Failed
		if planned {
			r.plan = cli.show(t, dir, running)
			applied := cli.command(t, dir, running, []string{"apply", "plan"})
			r.outcome.Failed = applied.Failed
			r.outcome.Messages = append(r.outcome.Messages, applied.Messages...)
		}
		stop()
		finish(t, server, &r.outcome)
		r.outcome.hold(t, stateIn(t, dir))
		if out = append(out, r); !planned {
			break
		}
	}
	return out
}

// show returns the values in the JSON form of the saved plan by their paths.
func (cli commandLine) show(t *testing.T, dir, running string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), cli.program, "show", "-no-color", "-json", "plan")
	cmd.Dir = dir
	cmd.Env = append(tfcli.Environ(os.Environ(), ""), "TF_REATTACH_PROVIDERS="+running)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("show: %v\n%s", err, text)
	}
	var plan tfjson.Plan
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatalf("show: %v\n%s", err, text)
	}
	return planOf(t, &plan)
}

// planOf returns, by their paths, the values of a plan that package planjson also sets. It
// removes the other values from the plan.
func planOf(t *testing.T, plan *tfjson.Plan) map[string]string {
	t.Helper()
	plan.Config, plan.RelevantAttributes, plan.Timestamp = nil, nil, ""
	// The command, but not the engine, adds checks without instances for destroy plans and for
	// resources without instances.
	plan.Checks = slices.DeleteFunc(plan.Checks, func(c tfjson.CheckResultStatic) bool { return len(c.Instances) == 0 })
	if plan.PriorState != nil {
		plan.PriorState.Checks = nil
	}
	text, err := json.Marshal(plan)
	var values any
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	flatten(out, "", values)
	return out
}

// flatten adds the parts of a JSON value to out. Elements with an address are named by it, and not by
// their index.
func flatten(out map[string]string, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			flatten(out, path+"."+name, e)
		}
		if len(v) == 0 {
			out[path] = "{}"
		}
	case []any:
		for i, e := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			if object, ok := e.(map[string]any); ok && object["address"] != nil {
				at = fmt.Sprintf("%s[%v]", path, object["address"])
				for _, name := range []string{"deposed", "deposed_key"} {
					if object[name] != nil {
						at, object[name] = at+" deposed", "random"
					}
				}
			}
			flatten(out, at, e)
		}
		if len(v) == 0 {
			out[path] = "[]"
		}
	default:
		out[path] = fmt.Sprintf("%#v", v)
	}
}

// life runs steps until a plan fails, and returns their results.
func (e inProcess) life(t *testing.T, steps []Step, version string) []result {
	t.Helper()
	state := states.NewState()
	var out []result
	for _, step := range steps {
		var r *run
		r, state = e.step(t, state, step)
		this := result{outcome: r.outcome}
		planned := r.plan != nil && !r.plan.Errored
		if planned {
			plan, err := planjson.Plan(r.plan, r.config, r.engine.Schemas(t.Context()), version)
			if err != nil {
				t.Fatal(err)
			}
			this.plan = planOf(t, plan)
		}
		if out = append(out, this); !planned {
			break
		}
	}
	return out
}
