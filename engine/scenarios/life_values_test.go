package scenarios_test

import (
	"fmt"
	"strings"
)

// argumentsOf has the configurable arguments of each type, except "name".
var argumentsOf = map[string][]string{
	"wrong_plain":   {"force", "both", "size", "secret", "tags", "items", "bag"},
	"wrong_nested":  {"one", "many", "keyed", "bag"},
	"wrong_block":   {"one", "group", "many", "keyed", "bag"},
	"wrong_write":   {"secret", "version", "one", "many"},
	"wrong_known":   {"force"},
	"wrong_dynamic": {"any"},
	"wrong_data":    {"both"},
	"wrong_lease":   {"both"},
}

// readable has the attributes of each type that references read.
var readable = map[string][]string{
	"wrong_plain":   {"id", "both", "force", "secret", "name"},
	"wrong_nested":  {"id", "name"},
	"wrong_block":   {"id", "name"},
	"wrong_write":   {"id", "version"},
	"wrong_known":   {"id", "force"},
	"wrong_dynamic": {"id", "name"},
	"wrong_data":    {"id", "both", "name"},
	"wrong_lease":   {"token", "both"},
}

func plainText(text string) value { return func(*thing) string { return text } }

func (a *author) literal() value {
	return plainText(oneOf(a, `"a"`, `"b"`, `"c"`, `"a"`, `""`, `"é ${1 + 1}"`))
}

// text returns a string expression, which may be null or unknown.
func (a *author) text(t *thing) value {
	one := a.reference(t, "resource", "data", "locals", "variable", "module")
	switch a.IntN(12) {
	case 0, 1:
		return a.literal()
	case 2:
		return plainText("null")
	case 3:
		return wrapped(`"${%s}-x"`, one)
	case 4:
		return wrapped(`(%s == "a" ? "yes" : "no")`, one)
	case 5:
		return wrapped(oneOf(a, `upper(%s)`, `try(%s, "other")`, `coalesce(%s, "other")`, `jsonencode([%s])`), one)
	case 6:
		return wrapped(oneOf(a, `sensitive(%s)`, `nonsensitive(sensitive(%s))`), one)
	case 7:
		return func(owner *thing) string {
			switch {
			case owner.repeat == "count":
				return `"i${count.index}"`
			case owner.repeat == "for_each" && owner.eachValue != nil:
				return "each.value"
			case owner.repeat == "for_each":
				return "each.key"
			}
			return one(owner)
		}
	default:
		return one
	}
}

// wrapped returns the format with an expression in it.
func wrapped(format string, of value) value {
	return func(owner *thing) string { return fmt.Sprintf(format, of(owner)) }
}

// reference returns a reference to an earlier thing or, in a module, to the variable x; or a
// literal if there is neither. The reference becomes a literal when its target is no longer visible.
func (a *author) reference(t *thing, kinds ...string) value {
	earlier := a.all(t.in, t.index, kinds...)
	if t.in != nil && (len(earlier) == 0 || a.oneIn(3)) {
		return func(owner *thing) string {
			if owner.in == nil {
				return `"gone"`
			}
			return "var.x"
		}
	}
	if len(earlier) == 0 {
		return a.literal()
	}
	to, form := oneOf(a, earlier...), a.IntN(3)
	attribute := "id"
	if to.typ != "" {
		attribute = oneOf(a, readable[to.typ]...)
	}
	return func(owner *thing) string {
		if to.gone || to.in != owner.in {
			return `"gone"`
		}
		return to.read(attribute, form)
	}
}

// read returns a string expression with the attribute of one instance or of all.
func (t *thing) read(attribute string, form int) string {
	if t.kind == "locals" || t.kind == "variable" {
		return t.address()
	}
	if t.kind == "module" {
		attribute = "out"
	}
	switch {
	case t.repeat == "":
		return t.address() + "." + attribute
	case len(t.keys) > 0 && form == 0:
		return t.address() + t.suffix(t.keys[0]) + "." + attribute
	case form == 1:
		return fmt.Sprintf(`join("-", [for k, v in %s : "${k}=${v.%s != null}"])`, t.address(), attribute)
	case t.repeat == "count":
		return fmt.Sprintf(`jsonencode(%s[*].%s)`, t.address(), attribute)
	}
	return fmt.Sprintf(`jsonencode({ for k, v in %s : k => v.%s })`, t.address(), attribute)
}

// whole returns a reference to all attributes and instances of an earlier resource or data source,
// or a literal if there is none. The reference becomes a literal when its target is no longer visible.
func (a *author) whole(t *thing) value {
	earlier := a.all(t.in, t.index, "resource", "data")
	if len(earlier) == 0 {
		return a.literal()
	}
	to := oneOf(a, earlier...)
	return func(owner *thing) string {
		if to.gone || to.in != owner.in {
			return `"gone"`
		}
		return to.address()
	}
}

// anything returns an expression of any type.
func (a *author) anything(t *thing) value {
	return oneOf(a, a.text(t), a.number(t), a.list(t), a.keyed(t), a.whole(t), wrapped("{ a = [%s], b = null }", a.text(t)))
}

func (a *author) number(t *thing) value {
	return oneOf(a, plainText(oneOf(a, "0", "1", "2.5", "-3", "null", "1e30")), wrapped("length(jsonencode(%s))", a.text(t)), wrapped("length(jsonencode(%s))", a.whole(t)))
}

func (a *author) list(t *thing) value {
	var elements []value
	for range a.IntN(4) {
		elements = append(elements, a.text(t))
	}
	return func(owner *thing) string {
		var out []string
		for _, e := range elements {
			out = append(out, e(owner))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
}

func (a *author) keyed(t *thing) value {
	list := a.list(t)
	return wrapped(`{ for i, v in %s : "k${i}" => v }`, list)
}

// secret returns a value, which may be ephemeral, for write-only arguments.
func (a *author) secret(t *thing) value {
	if len(a.all(t.in, t.index, "ephemeral")) == 0 {
		return a.text(t)
	}
	return oneOf(a, a.reference(t, "ephemeral"), wrapped(`"${%s}!"`, a.reference(t, "ephemeral")), a.text(t))
}

// argument returns a value for the argument with the name, or the nested blocks with the name.
func (a *author) argument(t *thing, name string) value {
	object := func(secret bool) value {
		x, b, has := a.text(t), a.text(t), a.oneIn(2)
		s := a.secret(t)
		return func(owner *thing) string {
			text := "x = " + x(owner)
			if has && t.typ == "wrong_nested" {
				text += ", b = " + b(owner)
			}
			if has && secret {
				text += ", secret = " + s(owner)
			}
			return "{ " + text + " }"
		}
	}
	inner := func(name string, n int) value { // nested blocks with the attribute x
		var xs []value
		for range n {
			xs = append(xs, a.text(t))
		}
		secret := a.secret(t)
		return func(owner *thing) string {
			var b strings.Builder
			for i, x := range xs {
				label := ""
				if name == "keyed" {
					label = fmt.Sprintf(" \"k%d\"", i)
				}
				fmt.Fprintf(&b, "%s%s {\n    x = %s\n", name, label, x(owner))
				if t.typ == "wrong_write" {
					fmt.Fprintf(&b, "    secret = %s\n", secret(owner))
				}
				if t.typ == "wrong_block" && name == "many" && i > 0 {
					fmt.Fprintf(&b, "    inner {\n      y = %s\n    }\n", x(owner))
				}
				b.WriteString("  }\n")
			}
			return b.String()
		}
	}
	switch t.typ + "." + name {
	case "wrong_plain.size":
		return a.number(t)
	case "wrong_plain.tags":
		return a.keyed(t)
	case "wrong_plain.items", "wrong_plain.bag":
		return a.list(t)
	case "wrong_dynamic.any":
		return a.anything(t)
	case "wrong_write.secret":
		return a.secret(t)
	case "wrong_nested.one", "wrong_write.one":
		return object(t.typ == "wrong_write")
	case "wrong_nested.many", "wrong_nested.bag":
		return oneOf(a, wrapped("[%s]", object(false)), plainText("[]"), func(first, second value) value {
			return func(owner *thing) string { return "[" + first(owner) + ", " + second(owner) + "]" }
		}(object(false), object(false)))
	case "wrong_nested.keyed":
		return wrapped(oneOf(a, "{ k = %s }", "{ l = %s }"), object(false))
	case "wrong_block.one", "wrong_block.group":
		return inner(name, 1)
	case "wrong_block.many", "wrong_write.many", "wrong_block.keyed", "wrong_block.bag":
		if name != "keyed" && a.oneIn(3) {
			list := a.list(t)
			return func(owner *thing) string {
				return fmt.Sprintf("dynamic %q {\n    for_each = %s\n    content {\n      x = %s.value\n    }\n  }\n", name, list(owner), name)
			}
		}
		return inner(name, 1+a.IntN(2))
	}
	return a.text(t)
}

// dependsOn adds or replaces depends_on, if there is an earlier block to depend on.
func (a *author) dependsOn(t *thing) {
	earlier := a.all(t.in, t.index, "resource", "data", "module")
	if len(earlier) == 0 {
		return
	}
	to := oneOf(a, earlier...)
	t.options["depends_on"] = func(owner *thing) string {
		if to.gone || to.in != owner.in {
			return "[]"
		}
		return "[" + to.address() + "]"
	}
}

// lifecycle adds or replaces a random setting of the lifecycle block.
func (a *author) lifecycle(t *thing) {
	switch name := oneOf(a, "create_before_destroy", "create_before_destroy", "ignore_changes", "replace_triggered_by", "prevent_destroy", "precondition", "postcondition"); name {
	case "create_before_destroy":
		t.options[name] = plainText(oneOf(a, "true", "true", "false"))
	case "prevent_destroy":
		t.options[name] = plainText("true")
	case "ignore_changes":
		t.options[name] = plainText(oneOf(a, "all", "["+oneOf(a, argumentsOf[t.typ]...)+"]"))
	case "replace_triggered_by":
		earlier := a.all(t.in, t.index, "resource")
		if len(earlier) == 0 {
			return
		}
		to, attribute := oneOf(a, earlier...), ""
		if a.oneIn(2) {
			attribute = "." + oneOf(a, readable[to.typ]...)
		}
		t.options[name] = func(owner *thing) string {
			switch {
			case to.gone || to.in != owner.in:
				return "[]"
			case to.repeat == "":
				return "[" + to.address() + attribute + "]"
			case len(to.keys) > 0 && attribute != "":
				return "[" + to.address() + to.suffix(to.keys[0]) + attribute + "]"
			}
			return "[" + to.address() + "]"
		}
	case "precondition":
		t.options[name] = wrapped("precondition {\n      condition = %s != \"never\"\n      error_message = \"no\"\n    }", a.text(t))
	case "postcondition":
		t.options[name] = plainText("postcondition {\n      condition = self.id != \"never\"\n      error_message = \"no\"\n    }")
	}
}
