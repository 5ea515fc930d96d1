package scenarios_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// change makes a random change between two generations.
func (a *author) change() {
	managed := a.objects("resource")
	if len(managed) == 0 {
		a.addOf("resource", nil)
		return
	}
	t := oneOf(a, managed...)
	switch a.IntN(14) {
	case 0:
		a.add()
	case 1:
		oneOf(a, a.objects("resource", "data", "ephemeral", "locals", "output", "module")...).gone = true
	case 2:
		a.remove(t)
	case 3:
		a.rename(t)
	case 4:
		a.repeatOtherwise(oneOf(a, t, oneOf(a, a.objects("resource", "module")...)))
	case 5:
		a.moveToModule(t)
	case 6:
		a.rename(oneOf(a, a.objects("resource", "module")...))
	case 7:
		a.imported()
	case 8, 9:
		a.drift(t)
	case 10:
		a.lifecycle(t)
	case 11:
		delete(t.options, oneOf(a, append(slices.Sorted(maps.Keys(t.options)), "")...))
	default:
		t = oneOf(a, t, t, oneOf(a, a.objects("resource", "data", "locals", "output", "module")...))
		a.edit(t)
	}
}

// edit changes, adds or removes one argument.
func (a *author) edit(t *thing) {
	switch t.kind {
	case "locals", "output":
		t.arguments["value"] = a.text(t)
	case "module":
		t.arguments["x"] = a.text(t)
	default:
		name := oneOf(a, argumentsOf[t.typ]...)
		if t.arguments[name] != nil && a.oneIn(3) {
			delete(t.arguments, name)
			return
		}
		t.arguments[name] = a.argument(t, name)
	}
}

// keep adds a block to the root module, for the next generation or for all later ones.
func (a *author) keep(write func() string) {
	file := a.prefix + "life.tf"
	if a.oneIn(2) {
		a.refactorings = append(a.refactorings, func() []block {
			if text := write(); text != "" {
				return []block{{file, text}}
			}
			return nil
		})
		return
	}
	if text := write(); text != "" {
		a.once = append(a.once, block{file, text})
	}
}

// remove replaces the block of a resource with a removed block.
func (a *author) remove(t *thing) {
	t.gone = true
	text := fmt.Sprintf("removed {\n  from = %s\n", t.absolute())
	switch a.IntN(3) {
	case 0:
		text += "  lifecycle {\n    destroy = false\n  }\n"
	case 1:
		text += "  lifecycle {\n    destroy = true\n  }\n"
	}
	a.keep(func() string { return text + "}" })
}

// rename changes the address of a resource or module, and usually adds a moved block.
func (a *author) rename(t *thing) {
	from := t.address()
	t.name = a.identifier(t.in)
	a.moved(t.in, from, t.address())
}

// moved usually adds a moved block to the module or, if the module is nil, to the root module.
func (a *author) moved(in *thing, from, to string) {
	if a.oneIn(8) {
		return
	}
	text := fmt.Sprintf("moved {\n  from = %s\n  to   = %s\n}", from, to)
	if in == nil {
		a.keep(func() string { return text })
		return
	}
	a.refactorings = append(a.refactorings, func() []block {
		if in.gone {
			return nil
		}
		return []block{{in.name + "/main.tf", text}}
	})
}

// repeatOtherwise changes the instances of a thing, or whether and how it is repeated. It
// may add a moved block.
func (a *author) repeatOtherwise(t *thing) {
	if t.repeat != "" && a.oneIn(2) {
		a.resize(t)
		return
	}
	from := t.address()
	if t.repeat != "" && len(t.keys) > 0 {
		from += t.suffix(t.keys[0])
	}
	a.repeated(t, 2)
	to := t.address()
	if t.repeat != "" && len(t.keys) > 0 {
		to += t.suffix(oneOf(a, t.keys...))
	}
	if from != to && a.oneIn(2) {
		a.moved(t.in, from, to)
	}
}

// moveToModule moves a resource into a module, or out of its module. If there is no module, it only
// renames the resource.
func (a *author) moveToModule(t *thing) {
	from := t.located()
	if t.in != nil {
		t.in = nil
	} else if modules := a.all(nil, len(a.things), "module"); len(modules) > 0 {
		t.in = oneOf(a, modules...)
	}
	t.name = a.identifier(t.in)
	a.moved(nil, from, t.located())
}

// imported adds a resource with an import block.
func (a *author) imported() {
	t := a.addOf("resource", nil)
	form := a.IntN(2)
	a.keep(func() string {
		instances, names := t.instances(), t.objectNames()
		switch {
		case t.gone || t.in != nil && t.in.gone || len(instances) == 0:
			return ""
		case t.typ == "wrong_known" && form == 0:
			return fmt.Sprintf("import {\n  to = %s\n  identity = { id = %q }\n}", instances[0], names[0])
		case t.repeat == "for_each" && t.in == nil && form == 0:
			return fmt.Sprintf("import {\n  for_each = toset(keys(%s))\n  to = %s[each.key]\n  id = \"%s-${each.key}\"\n}", asMap(t), t.address(), t.label)
		}
		return fmt.Sprintf("import {\n  to = %s\n  id = %q\n}", instances[0], names[0])
	})
}

// asMap returns the expression of a map with the keys of a repeated thing.
func asMap(t *thing) string {
	var out []string
	for _, key := range t.keys {
		out = append(out, fmt.Sprintf("%q = 0", key))
	}
	return "{ " + strings.Join(out, ", ") + " }"
}

// drift changes the behaviour of the provider in the next step.
func (a *author) drift(t *thing) {
	names := t.objectNames()
	if len(names) == 0 {
		return
	}
	name := oneOf(a, names...)
	rule := func(rpc, text string) { // at most one rule for each object and call, because two rules may contradict each other
		head := fmt.Sprintf("on %q %q {\n  name = %q\n", rpc, t.typ, name)
		if !slices.ContainsFunc(a.once, func(b block) bool { return strings.HasPrefix(b.text, head) }) {
			a.once = append(a.once, block{sectionBehaviour, head + "  " + text + "\n}"})
		}
	}
	switch a.IntN(6) {
	case 0:
		rule("read", "state = null")
	case 1:
		rule("plan", fmt.Sprintf("warning = %q", "careful with "+name))
	case 2:
		rule("apply", `private = "p"`)
	case 3:
		rule("plan", `private = "planned"`)
	default:
		attribute := "id"
		if t.typ == "wrong_plain" {
			attribute = oneOf(a, "both", "force", "secret", "id")
		}
		rule("read", fmt.Sprintf(`set = { %q = "drifted" }`, attribute))
	}
}
