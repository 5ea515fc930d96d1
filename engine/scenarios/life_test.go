package scenarios_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// life is a sequence of configurations that are applied one after the other.
type life struct {
	seed  uint64
	steps []generation
}

// generation is one configuration and the behaviour of the provider, as blocks. The
// addresses in blocks are unique among lives, so that a step may have the blocks of several lives.
type generation []block

// block has one or more blocks of a file.
type block struct{ file, text string }

// files returns the configuration files of all generations by name, with the required providers,
// and the behaviour.
func files(of ...generation) (files map[string][]byte, behaviour []byte) {
	files = map[string][]byte{"providers.tf": []byte(requiredProviders)}
	for _, g := range of {
		for _, b := range g {
			if strings.Contains(b.file, "/") && files[b.file] == nil {
				files[b.file] = []byte(requiredProviders)
			}
			files[b.file] = append(files[b.file], b.text+"\n"...)
		}
	}
	behaviour = files[sectionBehaviour]
	delete(files, sectionBehaviour)
	return files, behaviour
}

// author writes a life. Each thing refers only to earlier ones, so that there are no
// cycles by accident.
type author struct {
	*rand.Rand
	prefix string
	things []*thing
	// refactorings are moved, removed and import blocks that stay in the configuration.
	refactorings []func() []block
	// once are blocks that only the next generation has.
	once []block
	next int
}

// newLife returns the life of a seed. The same seed always has the same life.
func newLife(seed uint64) life {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 2)), prefix: fmt.Sprintf("s%d_", seed)}
	out := life{seed: seed}
	for range 2 + a.IntN(5) {
		a.add()
	}
	steps := 2 + a.IntN(3)
	ends := steps
	if a.oneIn(5) {
		ends = a.IntN(min(steps, 2))
	}
	for step := range steps {
		if step > 0 {
			for range a.IntN(4) {
				a.change()
			}
		}
		if step == ends {
			a.mistake()
		}
		out.steps = append(out.steps, a.generation())
		if step == ends {
			break
		}
	}
	return out
}

func (a *author) oneIn(n int) bool { return a.IntN(n) == 0 }

func oneOf[T any](a *author, of ...T) T { return of[a.IntN(len(of))] }

// thing is a named object of a configuration.
type thing struct {
	// kind is "resource", "data", "ephemeral", "locals", "variable", "module" or "output".
	kind, typ, name string
	// in is the module of the thing, or nil for the root module.
	in *thing
	// index is the position among the things of the author.
	index int
	gone  bool
	// label is part of the names of the provider's objects; addresses may change, but
	// labels do not.
	label string
	// repeat is "", "count" or "for_each" with the instances in keys.
	repeat    string
	keys      []string
	eachValue value
	arguments map[string]value
	options   map[string]value
}

// value writes an expression, or nested blocks, for its owner.
type value func(owner *thing) string

// identifier returns a new name.
func (a *author) identifier(in *thing) string {
	a.next++
	name := "n" + strconv.Itoa(a.next)
	if in == nil {
		return a.prefix + name
	}
	return name
}

// all returns the things in the module that are present, have one of the kinds, and precede the
// position.
func (a *author) all(in *thing, before int, kinds ...string) []*thing {
	var out []*thing
	for _, t := range a.things[:before] {
		if !t.gone && t.in == in && slices.Contains(kinds, t.kind) {
			out = append(out, t)
		}
	}
	return out
}

// objects returns the present things of the kinds in all modules.
func (a *author) objects(kinds ...string) []*thing {
	return slices.DeleteFunc(slices.Clone(a.things), func(t *thing) bool { return t.gone || t.in != nil && t.in.gone || !slices.Contains(kinds, t.kind) })
}

// add adds a thing of a random kind and returns it.
func (a *author) add() *thing {
	kind := oneOf(a, "resource", "resource", "resource", "resource", "data", "data", "ephemeral", "locals", "variable", "module", "output", "output")
	var in *thing
	if modules := a.all(nil, len(a.things), "module"); len(modules) > 0 && (kind == "resource" || kind == "data") && a.oneIn(2) {
		in = oneOf(a, modules...)
	}
	return a.addOf(kind, in)
}

func (a *author) addOf(kind string, in *thing) *thing {
	t := &thing{kind: kind, name: a.identifier(in), in: in, index: len(a.things), arguments: map[string]value{}, options: map[string]value{}}
	t.label = strings.ReplaceAll(strings.TrimPrefix(t.name, a.prefix), "n", "l")
	if in == nil {
		t.label = a.prefix + t.label
	}
	a.things = append(a.things, t)
	switch kind {
	case "resource":
		t.typ = oneOf(a, "wrong_plain", "wrong_plain", "wrong_plain", "wrong_nested", "wrong_block", "wrong_write", "wrong_known", "wrong_dynamic")
	case "data":
		t.typ = "wrong_data"
	case "ephemeral":
		t.typ = "wrong_lease"
	case "module":
		a.repeated(t, 4)
		t.arguments["x"] = a.text(t)
		if a.oneIn(6) {
			a.dependsOn(t)
		}
		for range 1 + a.IntN(2) {
			a.addOf(oneOf(a, "resource", "resource", "data"), t)
		}
		return t
	case "variable":
		t.arguments["default"] = a.literal()
		if a.oneIn(2) {
			t.options["sensitive"] = plainText("true")
		}
		return t
	case "locals":
		t.arguments["value"] = a.text(t)
		return t
	case "output":
		t.arguments["value"] = oneOf(a, a.text(t), a.anything(t))
		if !a.oneIn(4) {
			t.options["sensitive"] = plainText("true")
		}
		return t
	}
	a.repeated(t, 3)
	for _, name := range argumentsOf[t.typ] {
		if a.oneIn(2) {
			t.arguments[name] = a.argument(t, name)
		}
	}
	if a.oneIn(6) {
		a.dependsOn(t)
	}
	for kind == "resource" && a.oneIn(3) {
		a.lifecycle(t)
	}
	return t
}

// repeated sets count or for_each of the thing with a probability of 1/n, and removes them otherwise.
func (a *author) repeated(t *thing, n int) {
	t.repeat, t.keys = "", nil
	if !a.oneIn(n) {
		return
	}
	t.repeat = oneOf(a, "count", "for_each")
	a.resize(t)
}

// resize chooses new instance keys for a repeated thing.
func (a *author) resize(t *thing) {
	t.keys, t.eachValue = nil, nil
	switch t.repeat {
	case "count":
		for i := range a.IntN(4) {
			t.keys = append(t.keys, strconv.Itoa(i))
		}
	case "for_each":
		for _, key := range []string{"a", "b", "c d"} {
			if !a.oneIn(3) {
				t.keys = append(t.keys, key)
			}
		}
		if a.oneIn(2) {
			t.eachValue = a.text(t)
		}
	}
}

// suffix returns the part of an instance's address that has its key.
func (t *thing) suffix(key string) string {
	switch t.repeat {
	case "count":
		return "[" + key + "]"
	case "for_each":
		return "[" + strconv.Quote(key) + "]"
	}
	return ""
}

// address returns the address of the thing in its module.
func (t *thing) address() string {
	switch t.kind {
	case "resource":
		return t.typ + "." + t.name
	case "data", "ephemeral":
		return t.kind + "." + t.typ + "." + t.name
	case "locals":
		return "local." + t.name
	case "variable":
		return "var." + t.name
	}
	return t.kind + "." + t.name
}

// absolute returns the address in the root module, without keys of instances.
func (t *thing) absolute() string {
	if t.in == nil {
		return t.address()
	}
	return t.in.address() + "." + t.address()
}

// located returns the absolute address in the first instance of the module, or in the module without
// a key if it has no instances.
func (t *thing) located() string {
	if t.in == nil {
		return t.address()
	}
	return slices.Concat(t.in.instances(), []string{t.in.address()})[0] + "." + t.address()
}

// instances returns the absolute addresses of all instances.
func (t *thing) instances() []string {
	keys := t.keys
	if t.repeat == "" {
		keys = []string{""}
	}
	parents := []string{""}
	if t.in != nil {
		parents = t.in.instances()
		for i := range parents {
			parents[i] += "."
		}
	}
	var out []string
	for _, parent := range parents {
		for _, key := range keys {
			out = append(out, parent+t.address()+t.suffix(key))
		}
	}
	return out
}

// objectNames returns the names of the instances in the provider.
func (t *thing) objectNames() []string {
	names := []string{t.label}
	if t.in != nil {
		names = t.in.objectNames()
		for i := range names {
			names[i] += "-" + t.label
		}
	}
	if t.repeat == "" {
		return names
	}
	var out []string
	for _, name := range names {
		for _, key := range t.keys {
			out = append(out, name+"-"+key)
		}
	}
	return out
}

// nameExpression returns the expression whose value in each instance is its name in objectNames.
func (t *thing) nameExpression() string {
	name := t.label
	if t.in != nil {
		name = "${var.p}-" + name
	}
	switch t.repeat {
	case "count":
		name += "-${count.index}"
	case "for_each":
		name += "-${each.key}"
	}
	return `"` + name + `"`
}

// generation returns the present configuration with the blocks in a.once, and clears a.once.
func (a *author) generation() generation {
	out := slices.Clone(a.once)
	a.once = nil
	root := a.prefix + "life.tf"
	for _, t := range a.things {
		if t.gone || t.in != nil && t.in.gone {
			continue
		}
		file := root
		if t.in != nil {
			file = t.in.name + "/main.tf"
		}
		out = append(out, block{file, t.text()})
		if t.kind == "module" {
			out = append(out, block{t.name + "/main.tf", a.interfaceOf(t)})
		}
	}
	for _, r := range a.refactorings {
		out = append(out, r()...)
	}
	return out
}

// interfaceOf returns the variables and the output of a module.
func (a *author) interfaceOf(module *thing) string {
	out := "variable \"p\" {}\nvariable \"x\" {}\noutput \"out\" {\n  sensitive = true\n  value     = "
	if inside := a.all(module, len(a.things), "resource", "data"); len(inside) > 0 {
		return out + inside[0].read("id", 0) + "\n}"
	}
	return out + "var.x\n}"
}

// text returns the block of the thing.
func (t *thing) text() string {
	var b strings.Builder
	switch t.kind {
	case "locals":
		return fmt.Sprintf("locals {\n  %s = %s\n}", t.name, t.arguments["value"](t))
	case "variable", "output":
		fmt.Fprintf(&b, "%s %q {\n", t.kind, t.name)
	case "module":
		fmt.Fprintf(&b, "module %q {\n  source = \"./%s\"\n  p = %s\n", t.name, t.name, t.nameExpression())
	default:
		fmt.Fprintf(&b, "%s %q %q {\n  name = %s\n", t.kind, t.typ, t.name, t.nameExpression())
	}
	switch t.repeat {
	case "count":
		fmt.Fprintf(&b, "  count = %d\n", len(t.keys))
	case "for_each":
		fmt.Fprintf(&b, "  for_each = %s\n", t.forEach())
	}
	for _, name := range slices.Sorted(maps.Keys(t.arguments)) {
		text := t.arguments[name](t)
		if !strings.HasSuffix(text, "}\n") { // nested blocks are written with their names
			text = name + " = " + text
		}
		b.WriteString("  " + text + "\n")
	}
	var lifecycle []string
	for _, name := range slices.Sorted(maps.Keys(t.options)) {
		switch text := t.options[name](t); name {
		case "sensitive", "depends_on":
			fmt.Fprintf(&b, "  %s = %s\n", name, text)
		case "precondition", "postcondition":
			lifecycle = append(lifecycle, text)
		default:
			lifecycle = append(lifecycle, name+" = "+text)
		}
	}
	if len(lifecycle) > 0 {
		fmt.Fprintf(&b, "  lifecycle {\n    %s\n  }\n", strings.Join(lifecycle, "\n    "))
	}
	b.WriteString("}")
	return b.String()
}

func (t *thing) forEach() string {
	var elements []string
	for _, key := range t.keys {
		element := strconv.Quote(key)
		if t.eachValue != nil {
			element += " = " + t.eachValue(&thing{in: t.in})
		}
		elements = append(elements, element)
	}
	list := strings.Join(elements, ", ")
	if t.eachValue != nil {
		return "{ " + list + " }"
	}
	return "toset([" + list + "])"
}
