package acctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// scriptRun is the execution of a script.
type scriptRun struct {
	script  *script
	session *session
	vars    config.Variables
	files   *fileSet
}

// runScript runs an archive and then destroys the objects in the state. Errors of commands
// name the line.
func runScript(t T, name string, text []byte, work string, factories map[string]func() (tfplugin.ProviderServer, error)) (err error) {
	parsed, err := parseScript(name, text, work)
	if err != nil {
		return err
	}
	_, flavor := engineFromEnv(t)
	set := providerSet{}
	set.addAll(nil, nil, factories)
	timing := newTiming()
	r := &scriptRun{script: parsed, session: newSession(flavor, set, timing.observer()), vars: config.Variables{}, files: &fileSet{content: map[string][]byte{}}}
	for file, content := range parsed.files {
		if !strings.Contains(file, "/") || strings.HasPrefix(file, "modules/") {
			r.files.content[file] = content
		}
	}
	if err := r.session.setConfig(r.files, r.vars); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() {
		timing.begin("destroy")
		if s := r.session.state; s != nil && s.HasResources() {
			if gone := r.session.destroy(); gone != nil {
				err = errors.Join(err, fmt.Errorf("%s: cannot destroy the objects of the script: %w", name, gone))
			}
		}
		timing.report(t)
	}()
	for _, c := range parsed.commands {
		timing.begin(strings.TrimPrefix(c.at, path.Dir(name)+"/") + " " + c.name)
		if err := checkCommand(c, r.run(c)); err != nil {
			return fmt.Errorf("%s: %w", c.at, err)
		}
	}
	return nil
}

func checkCommand(c command, err error) error {
	if _, wrong := errors.AsType[fatal](err); wrong || !c.fails {
		return err
	}
	want, bad := regexp.Compile(c.want)
	switch {
	case bad != nil:
		return bad
	case err == nil:
		return fmt.Errorf("%s succeeded, want an error that matches %q", c.name, c.want)
	case !want.MatchString(err.Error()):
		return fmt.Errorf("the error of %s does not match %q: %w", c.name, c.want, err)
	}
	return nil
}

// commands has the commands of scripts by name, with the minimum and maximum number of
// arguments.
var commands = map[string]struct {
	min, max int
	run      func(*scriptRun, []string) error
}{
	"use":     {1, 99, (*scriptRun).use},
	"var":     {2, 2, (*scriptRun).variable},
	"apply":   {0, 0, func(r *scriptRun, _ []string) error { return r.session.run(engine.PlanOptions{}) }},
	"refresh": {0, 0, func(r *scriptRun, _ []string) error { return r.session.refreshOnly() }},
	"destroy": {0, 0, func(r *scriptRun, _ []string) error {
		return r.session.run(engine.PlanOptions{Mode: plans.DestroyMode})
	}},
	"taint":  {1, 1, func(r *scriptRun, args []string) error { return r.session.taint(args[0]) }},
	"forget": {1, 1, func(r *scriptRun, args []string) error { return r.session.forget(args[0]) }},
	"import": {2, 2, (*scriptRun).importObject},
	"plan":   {0, 99, (*scriptRun).plan},
	"state":  {1, 3, (*scriptRun).state},
	"output": {2, 3, (*scriptRun).output},
	"write":  {2, 2, (*scriptRun).write},
	"remove": {1, 1, func(_ *scriptRun, args []string) error { return os.RemoveAll(args[0]) }},
}

func (r *scriptRun) run(c command) error {
	known, ok := commands[c.name]
	if !ok {
		return fatalf("there is no command %q", c.name)
	}
	if len(c.args) < known.min || len(c.args) > known.max {
		return fatalf("%s has %d arguments, want %d to %d", c.name, len(c.args), known.min, known.max)
	}
	return known.run(r, c.args)
}

func (r *scriptRun) use(names []string) error {
	next := &fileSet{content: maps.Clone(r.files.content)}
	for _, name := range names {
		name = path.Clean(name)
		found := false
		for file, content := range r.script.files {
			if file == name || strings.HasPrefix(file, name+"/") {
				next.content[path.Base(file)] = content
				found = true
			}
		}
		if !found {
			return fatalf("the archive has no %s", name)
		}
	}
	r.files = next
	return r.session.setConfig(r.files, r.vars)
}

func (r *scriptRun) variable(args []string) error {
	value := json.RawMessage(args[1])
	if !json.Valid(value) {
		text, err := json.Marshal(args[1])
		if err != nil {
			return err
		}
		value = text
	}
	r.vars[args[0]] = value
	return r.session.setConfig(r.files, r.vars)
}

func (r *scriptRun) importObject(args []string) error {
	addr, err := addrs.ParseAbsResourceInstanceStr(args[0])
	if err != nil {
		return fatal{err}
	}
	return r.session.importByID(addr, args[1])
}

// plan plans and compares the plan with the arguments.
func (r *scriptRun) plan(args []string) error {
	plan, err := r.session.plan(engine.PlanOptions{})
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return nil
	case len(args) == 1 && args[0] == "empty":
		if !empty(plan) {
			return fmt.Errorf("the plan is not empty:\n%s", r.session.planText(plan))
		}
		return nil
	case len(args) == 1 && args[0] == "changes":
		if empty(plan) {
			return errors.New("the plan is empty, want changes")
		}
		return nil
	case len(args)%2 != 0:
		return fatalf("plan takes \"empty\", \"changes\", or pairs of address and action")
	}
	for pair := range slices.Chunk(args, 2) {
		got := ""
		for _, c := range plan.Changes {
			if c.Addr.String() == pair[0] && c.DeposedKey == "" {
				got = actionText(c.Action)
			}
		}
		if got == "" {
			return fmt.Errorf("the plan has no action for %s, want %s:\n%s", pair[0], pair[1], r.session.planText(plan))
		}
		if got != pair[1] {
			return fmt.Errorf("the plan has the action %s for %s, want %s:\n%s", got, pair[0], pair[1], r.session.planText(plan))
		}
	}
	return nil
}

func actionText(a plans.Action) string {
	switch {
	case a == plans.NoOp:
		return "no-op"
	case a.IsReplace():
		return "replace"
	default:
		return strings.ToLower(a.String())
	}
}

// object is an object in the state.
type object struct {
	attributes map[string]string // those that are not null, by flat names
	names      map[string]any    // all attributes
	tainted    bool
}

// objects returns the current objects in the state by address.
func (r *scriptRun) objects() (map[string]object, error) {
	shown, err := r.session.stateJSON()
	if err != nil || shown.Values == nil {
		return nil, err
	}
	out := map[string]object{}
	var visit func(*tfjson.StateModule) error
	visit = func(m *tfjson.StateModule) error {
		for _, found := range m.Resources {
			if found.DeposedKey != "" {
				continue
			}
			o := object{attributes: map[string]string{}, names: found.AttributeValues, tainted: found.Tainted}
			if err := flatten(o.attributes, "", found.AttributeValues); err != nil {
				return err
			}
			out[found.Address] = o
		}
		for _, child := range m.ChildModules {
			if err := visit(child); err != nil {
				return err
			}
		}
		return nil
	}
	return out, visit(shown.Values.RootModule)
}

// state checks one object or one of its attributes.
func (r *scriptRun) state(args []string) error {
	objects, err := r.objects()
	if err != nil {
		return err
	}
	name := args[0]
	found, there := objects[name]
	if len(args) == 3 {
		text, set, err := attributeOf(name, objects)
		if err != nil {
			return err
		}
		if !set && args[1] != "!=" {
			return fmt.Errorf("%s is null, want %s %q", name, args[1], args[2])
		}
		return compareText(name, text, args[1], args[2])
	}
	if len(args) == 1 {
		if !there {
			return fmt.Errorf("%s is not in the state", name)
		}
		return nil
	}
	switch args[1] {
	case "tainted":
		if !there || !found.tainted {
			return fmt.Errorf("%s is not in the state, or not tainted", name)
		}
	case "absent":
		if there {
			return fmt.Errorf("%s is in the state: %v", name, found.attributes)
		}
		if _, err := addrs.ParseAbsResourceInstanceStr(name); err == nil {
			return nil
		}
		text, set, err := attributeOf(name, objects)
		if err != nil {
			return err
		}
		if set {
			return fmt.Errorf("%s is %q, not null", name, text)
		}
	default:
		return fatalf("state takes \"absent\" or \"tainted\", got %q", args[1])
	}
	return nil
}

// attributeOf returns the text of an attribute, whose name follows the address of an
// object, and whether it is set. The text of a collection is its number of elements, such as "3 elements". An
// object or a top-level attribute that does not exist is an error.
func attributeOf(name string, objects map[string]object) (text string, set bool, err error) {
	var address, attribute string
	for candidate := range objects {
		if rest, ok := strings.CutPrefix(name, candidate+"."); ok && len(candidate) > len(address) {
			address, attribute = candidate, rest
		}
	}
	if address == "" {
		return "", false, fmt.Errorf("no object in the state has an address that is a prefix of %s", name)
	}
	root, _, _ := strings.Cut(attribute, ".")
	if _, ok := objects[address].names[root]; !ok {
		return "", false, fmt.Errorf("%s has no attribute %s", address, root)
	}
	if text, set = objects[address].attributes[attribute]; set {
		return text, true, nil
	}
	for _, count := range []string{".#", ".%"} { // of a list or set, or of a map
		if n, err := strconv.Atoi(objects[address].attributes[attribute+count]); err == nil {
			return diag.Count(n, "element"), true, nil
		}
	}
	return "", false, nil
}

func (r *scriptRun) output(args []string) error {
	legacy, err := r.session.legacy()
	if err != nil {
		return err
	}
	o := legacy.RootModule().Outputs[args[0]]
	if len(args) == 2 {
		if args[1] != "absent" {
			return fatalf("output takes \"absent\" or a comparison, got %q", args[1])
		}
		if o != nil {
			return fmt.Errorf("output %s exists", args[0])
		}
		return nil
	}
	if o == nil {
		return fmt.Errorf("output %s does not exist", args[0])
	}
	text, ok := o.Value.(string)
	if !ok {
		encoded, err := json.Marshal(o.Value)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	return compareText(args[0], text, args[1], args[2])
}

func compareText(name, got, how, want string) error {
	var ok bool
	switch how {
	case "==":
		ok = got == want
	case "!=":
		ok = got != want
	case "~":
		pattern, err := regexp.Compile(want)
		if err != nil {
			return fatal{err}
		}
		ok = pattern.MatchString(got)
	default:
		return fatalf("unknown comparison %q: use ==, != or ~", how)
	}
	if !ok {
		return fmt.Errorf("%s is %q, want %s %q", name, got, how, want)
	}
	return nil
}

func (r *scriptRun) write(args []string) error {
	text := []byte(args[1])
	if name, ok := strings.CutPrefix(args[1], "@"); ok {
		content, there := r.script.files[path.Clean(name)]
		if !there {
			return fatalf("the archive has no %s", name)
		}
		text = content
	}
	return os.WriteFile(args[0], text, 0o600)
}
