package scenarios_test

import (
	"fmt"
	"strings"
)

// mistake adds a block that may be invalid, or an error of the provider, to the next generation.
func (a *author) mistake() {
	managed := a.objects("resource")
	if len(managed) == 0 {
		managed = []*thing{a.addOf("resource", nil)}
	}
	t := oneOf(a, managed...)
	if names := t.objectNames(); len(names) > 0 && a.oneIn(4) {
		rpc, act := oneOf(a, "plan", "apply", "apply", "apply", "read", "validate"), ""
		if rpc == "apply" {
			act = fmt.Sprintf("\n  act = %q", oneOf(a, "create", "update", "delete"))
			a.edit(t)
		}
		a.once = append(a.once, block{sectionBehaviour, fmt.Sprintf("on %q %q {\n  name = %q%s\n  error = \"broken\"\n}", rpc, t.typ, oneOf(a, names...), act)})
		return
	}
	if roots := a.all(nil, len(a.things), "resource"); len(roots) > 0 {
		t = oneOf(a, roots...)
	} else {
		t = a.addOf("resource", nil)
	}
	one := t.address()
	if t.repeat != "" && len(t.keys) > 0 {
		one += t.suffix(t.keys[0])
	}
	text := oneOf(a, mistakes...)
	text = strings.NewReplacer("THING", t.address(), "ONE", one, "NEW", a.prefix+"bad", "OTHER", a.prefix+"worse").Replace(text)
	a.once = append(a.once, block{a.prefix + "life.tf", text})
}

// mistakes are blocks that are invalid, at least in some configurations. THING is the
// address of a resource, and ONE is that of one of its instances; NEW and OTHER are unused names.
var mistakes = []string{
	`output "NEW" { value = wrong_plain.NEW.id }`,
	`output "NEW" { value = ONE.nowhere }`,
	`output "NEW" { value = THING[7].id }`,
	`output "NEW" { value = THING["zz"].id }`,
	`output "NEW" { value = THING.id }`,
	`output "NEW" { value = var.NEW }`,
	`output "NEW" { value = local.NEW }`,
	`output "NEW" { value = module.NEW.out }`,
	`output "NEW" { value = sensitive("x") }`,
	`output "NEW" { value = nosuch("x") }`,
	`output "NEW" { value = tonumber("x") }`,
	`output "NEW" { value = provider::wrong::nosuch("x") }`,
	`output "NEW" { value = provider::wrong::upper(ONE.id) }`,
	"output \"NEW\" {\n  value = 1\n  precondition {\n    condition = ONE.id == \"x\"\n    error_message = \"no\"\n  }\n}",
	"locals {\n  NEW = local.OTHER\n  OTHER = local.NEW\n}",
	"resource \"wrong_plain\" \"NEW\" {\n  force = wrong_plain.OTHER.id\n}\nresource \"wrong_plain\" \"OTHER\" {\n  force = wrong_plain.NEW.id\n}",
	"resource \"wrong_plain\" \"NEW\" { force = wrong_plain.NEW.id }",
	"resource \"wrong_plain\" \"NEW\" { count = length(ONE.id) }",
	"resource \"wrong_plain\" \"NEW\" { for_each = toset([ONE.id]) }",
	"resource \"wrong_plain\" \"NEW\" { count = -1 }",
	"resource \"wrong_plain\" \"NEW\" { count = \"x\" }",
	"resource \"wrong_plain\" \"NEW\" { count = null }",
	"resource \"wrong_plain\" \"NEW\" { count = sensitive(1) }",
	"resource \"wrong_plain\" \"NEW\" { for_each = sensitive(toset([\"a\"])) }",
	"resource \"wrong_plain\" \"NEW\" { for_each = [\"a\"] }",
	"resource \"wrong_plain\" \"NEW\" { for_each = null }",
	"resource \"wrong_plain\" \"NEW\" { nowhere = 1 }",
	"resource \"wrong_plain\" \"NEW\" { id = \"x\" }",
	"resource \"wrong_plain\" \"NEW\" { tags = \"x\" }",
	"resource \"wrong_plain\" \"NEW\" { size = \"x\" }",
	"resource \"wrong_plain\" \"NEW\" { size = upper(ONE.id) }",
	"resource \"wrong_plain\" \"NEW\" { force = each.key }",
	"resource \"wrong_plain\" \"NEW\" { force = count.index }",
	"resource \"wrong_plain\" \"NEW\" { depends_on = [wrong_plain.OTHER] }",
	"resource \"wrong_plain\" \"NEW\" {\n  lifecycle {\n    replace_triggered_by = [local.OTHER]\n  }\n}",
	"resource \"wrong_plain\" \"NEW\" {\n  lifecycle {\n    replace_triggered_by = [var.OTHER]\n  }\n}",
	"resource \"wrong_plain\" \"NEW\" {\n  lifecycle {\n    ignore_changes = [nowhere]\n  }\n}",
	"resource \"wrong_plain\" \"NEW\" {\n  lifecycle {\n    precondition {\n      condition = false\n      error_message = \"no\"\n    }\n  }\n}",
	"resource \"wrong_plain\" \"NEW\" {\n  lifecycle {\n    postcondition {\n      condition = self.id == \"x\"\n      error_message = \"no\"\n    }\n  }\n}",
	"resource \"wrong_plain\" \"NEW\" {\n  lifecycle {\n    precondition {\n      condition = ONE.id == \"x\"\n      error_message = \"no\"\n    }\n  }\n}",
	"resource \"wrong_nowhere\" \"NEW\" {}",
	"resource \"wrong_plain\" \"NEW\" {}\nresource \"wrong_plain\" \"NEW\" {}",
	"data \"wrong_data\" \"NEW\" {\n  name = \"NEW\"\n  lifecycle {\n    postcondition {\n      condition = self.id == \"x\"\n      error_message = \"no\"\n    }\n  }\n}",
	"ephemeral \"wrong_lease\" \"NEW\" { name = \"NEW\" }\nresource \"wrong_plain\" \"NEW\" { force = ephemeral.wrong_lease.NEW.token }",
	"ephemeral \"wrong_lease\" \"NEW\" { name = \"NEW\" }\noutput \"NEW\" { value = ephemeral.wrong_lease.NEW.token }",
	"variable \"NEW\" {}",
	"variable \"NEW\" {\n  default = \"x\"\n  validation {\n    condition = var.NEW == \"y\"\n    error_message = \"no\"\n  }\n}",
	"variable \"NEW\" {\n  type = number\n  default = \"x\"\n}",
	"moved {\n  from = THING\n  to   = wrong_plain.NEW\n}",
	"moved {\n  from = wrong_plain.NEW\n  to   = wrong_plain.NEW\n}",
	"moved {\n  from = wrong_plain.NEW\n  to   = THING\n}\nmoved {\n  from = wrong_plain.OTHER\n  to   = THING\n}",
	"moved {\n  from = wrong_plain.NEW\n  to   = wrong_plain.OTHER\n}\nmoved {\n  from = wrong_plain.OTHER\n  to   = wrong_plain.NEW\n}",
	"import {\n  to = wrong_plain.NEW\n  id = \"x\"\n}",
	"import {\n  to = wrong_plain.NEW\n  id = ONE.id\n}\nresource \"wrong_plain\" \"NEW\" {}",
	"import {\n  to = wrong_plain.NEW\n  id = \"\"\n}\nresource \"wrong_plain\" \"NEW\" {}",
	"import {\n  to = wrong_plain.NEW\n  id = \"x\"\n}\nimport {\n  to = wrong_plain.NEW\n  id = \"y\"\n}\nresource \"wrong_plain\" \"NEW\" {}",
	"removed {\n  from = THING\n}",
	"removed {\n  from = wrong_plain.NEW[0]\n}",
	"module \"NEW\" {}",
	"check \"NEW\" {\n  assert {\n    condition = ONE.id == \"x\"\n    error_message = \"no\"\n  }\n}",
}
