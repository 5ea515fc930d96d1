package scenarios_test

// written are lives whose results once differed, and lives with constructs that generated
// lives rarely have.
var written = []life{
	{steps: []generation{ // an output of the previous run becomes unknown, and a new output is unknown
		{{"outputs.tf", "output \"w1_kept\" {\n  value = \"old\"\n}"}},
		{{"outputs.tf", "resource \"wrong_plain\" \"w1\" {\n  name = \"w1\"\n}\n" +
			"output \"w1_kept\" {\n  value = wrong_plain.w1.id\n}\noutput \"w1_new\" {\n  value = wrong_plain.w1.id\n}"}},
	}},
	{steps: []generation{ // a tainted object with a sensitive attribute is replaced
		{
			{"tainted.tf", "resource \"wrong_plain\" \"w2\" {\n  name   = \"w2\"\n  secret = \"s\"\n}"},
			{sectionBehaviour, "on \"apply\" \"wrong_plain\" {\n  name  = \"w2\"\n  error = \"broken\"\n}"},
		},
		{{"tainted.tf", "resource \"wrong_plain\" \"w2\" {\n  name   = \"w2\"\n  secret = \"s\"\n}"}},
	}},
	{steps: []generation{ // an object without its group block is imported
		{{"group.tf", "resource \"wrong_block\" \"w3\" {\n  name = \"w3\"\n}\nimport {\n  to = wrong_block.w3\n  id = \"w3\"\n}"}},
	}},
	{steps: []generation{ // an object with an identity is gone, and created again
		{{"gone.tf", "resource \"wrong_known\" \"w4\" {\n  name = \"w4\"\n}"}},
		{
			{"gone.tf", "resource \"wrong_known\" \"w4\" {\n  name = \"w4\"\n}"},
			{sectionBehaviour, "on \"read\" \"wrong_known\" {\n  name  = \"w4\"\n  state = null\n}"},
		},
	}},
	{steps: []generation{ // a tainted object with an identity is gone
		{
			{"gone.tf", "resource \"wrong_known\" \"w5\" {\n  name = \"w5\"\n}"},
			{sectionBehaviour, "on \"apply\" \"wrong_known\" {\n  name  = \"w5\"\n  error = \"broken\"\n}"},
		},
		{
			{"gone.tf", "resource \"wrong_known\" \"w5\" {\n  name = \"w5\"\n}"},
			{sectionBehaviour, "on \"read\" \"wrong_known\" {\n  name  = \"w5\"\n  state = null\n}"},
		},
	}},
	{steps: []generation{ // an object with a secret and a trigger is gone
		{{"gone.tf", "resource \"wrong_plain\" \"w6\" {\n  name   = \"w6\"\n  secret = \"s\"\n}"}},
		{
			{"gone.tf", "resource \"wrong_plain\" \"w6\" {\n  name   = \"w6\"\n  secret = \"s\"\n  force = sensitive(\"x\")\n  lifecycle {\n    replace_triggered_by = [wrong_plain.w7]\n  }\n}\nresource \"wrong_plain\" \"w7\" {\n  name = \"w7\"\n}"},
			{sectionBehaviour, "on \"read\" \"wrong_plain\" {\n  name  = \"w6\"\n  state = null\n}"},
		},
	}},
	{steps: []generation{ // an unused instance fails, and the used instance gets create_before_destroy
		{
			{"refs.tf", "resource \"wrong_plain\" \"w8\" {\n  name     = \"w8-${each.key}\"\n  for_each = toset([\"x\", \"y\"])\n}\nresource \"wrong_plain\" \"w9\" {\n  name = \"w9\"\n  force = wrong_plain.w8[\"x\"].id\n  lifecycle {\n    create_before_destroy = true\n  }\n}"},
			{sectionBehaviour, "on \"apply\" \"wrong_plain\" {\n  name  = \"w8-y\"\n  error = \"broken\"\n}"},
		},
	}},
	{steps: []generation{ // the dependent with create_before_destroy does not change
		{{"cbd.tf", "resource \"wrong_plain\" \"w10\" {\n  name = \"w10\"\n  both = \"1\"\n}\nresource \"wrong_plain\" \"w11\" {\n  name = \"w11\"\n  depends_on = [wrong_plain.w10]\n  lifecycle {\n    create_before_destroy = true\n  }\n}"}},
		{{"cbd.tf", "resource \"wrong_plain\" \"w10\" {\n  name = \"w10\"\n  both = \"2\"\n}\nresource \"wrong_plain\" \"w11\" {\n  name = \"w11\"\n  depends_on = [wrong_plain.w10]\n  lifecycle {\n    create_before_destroy = true\n  }\n}"}},
	}},
	{steps: []generation{ // the dependent with create_before_destroy has no instances
		{{"cbd.tf", "resource \"wrong_plain\" \"w12\" {\n  name = \"w12\"\n}\nresource \"wrong_plain\" \"w13\" {\n  name       = \"w13\"\n  count      = 0\n  depends_on = [wrong_plain.w12]\n  lifecycle {\n    create_before_destroy = true\n  }\n}"}},
	}},
	{steps: []generation{ // an object with create_before_destroy is deleted after the failing update of the object that it used
		{{"cbd.tf", "resource \"wrong_plain\" \"w14\" {\n  name = \"w14\"\n  both = \"1\"\n}\nresource \"wrong_plain\" \"w15\" {\n  name = \"w15\"\n  depends_on = [wrong_plain.w14]\n  lifecycle {\n    create_before_destroy = true\n  }\n}"}},
		{
			{"cbd.tf", "resource \"wrong_plain\" \"w14\" {\n  name = \"w14\"\n  both = \"2\"\n}"},
			{sectionBehaviour, "on \"apply\" \"wrong_plain\" {\n  name  = \"w14\"\n  error = \"broken\"\n}"},
		},
	}},
	{steps: []generation{ // deleting an object with create_before_destroy after the replacement of the object that it used is a cycle, and the drift is not stored
		{{"cbd.tf", "resource \"wrong_plain\" \"w16\" {\n  name = \"w16\"\n  force = \"1\"\n}\nresource \"wrong_plain\" \"w17\" {\n  name = \"w17\"\n  depends_on = [wrong_plain.w16]\n  lifecycle {\n    create_before_destroy = true\n  }\n}"}},
		{
			{"cbd.tf", "resource \"wrong_plain\" \"w16\" {\n  name = \"w16\"\n  force = \"2\"\n}"},
			{sectionBehaviour, "on \"read\" \"wrong_plain\" {\n  name  = \"w16\"\n  set = { both = \"drifted\" }\n}"},
		},
	}},
	{steps: []generation{ // an assertion is known after apply
		{{"check.tf", "resource \"wrong_plain\" \"w18\" {\n  name = \"w18\"\n}\ncheck \"w18\" {\n  assert {\n    condition     = wrong_plain.w18.id != \"never\"\n    error_message = \"no\"\n  }\n}"}},
	}},
	{steps: []generation{ // one instance is moved, then the whole resource
		{{"moves.tf", "resource \"wrong_plain\" \"w19\" {\n  name = \"w19\"\n}"}},
		{{"moves.tf", "moved {\n  from = wrong_plain.w19\n  to   = wrong_plain.w20\n}\nmoved {\n  from = wrong_plain.w19\n  to   = wrong_plain.w19[1]\n}\nresource \"wrong_plain\" \"w20\" {\n  name  = \"w19-${count.index}\"\n  count = 2\n}"}},
	}},
	{steps: []generation{ // a whole resource, and an instance of another resource, are moved to the same resource
		{{"moves.tf", "resource \"wrong_plain\" \"w21\" {\n  name = \"w21\"\n}\nresource \"wrong_plain\" \"w22\" {\n  name = \"w22\"\n}"}},
		{{"moves.tf", "moved {\n  from = wrong_plain.w21\n  to   = wrong_plain.w23\n}\nmoved {\n  from = wrong_plain.w22\n  to   = wrong_plain.w23[\"x\"]\n}\nresource \"wrong_plain\" \"w23\" {\n  name     = \"w23\"\n  for_each = toset([\"x\"])\n}"}},
	}},
	{steps: []generation{ // a move is invalid, and so is an expression
		{{"moves.tf", "moved {\n  from = wrong_plain.w24\n  to   = wrong_plain.w25\n}\nresource \"wrong_plain\" \"w24\" {\n  name = \"w24\"\n}\nresource \"wrong_plain\" \"w26\" {\n  name  = \"w26\"\n  force = \"${wrong_plain.w24.force}-x\"\n}"}},
	}},
	{steps: []generation{ // a reference to several instances has no key
		{{"keys.tf", "resource \"wrong_plain\" \"w27\" {\n  name  = \"w27-${count.index}\"\n  count = 2\n}\noutput \"w27\" {\n  value = wrong_plain.w27.id\n}"}},
	}},
	{steps: []generation{ // a reference to a single object has a key
		{{"keys.tf", "resource \"wrong_plain\" \"w28\" {\n  name = \"w28\"\n}\noutput \"w28\" {\n  value = try(wrong_plain.w28[0].id, \"none\")\n}"}},
	}},
	{steps: []generation{ // an output with a precondition is destroyed, in a configuration with an ephemeral resource
		{{"outputs.tf", "ephemeral \"wrong_lease\" \"w29\" {\n  name = \"w29\"\n}\nvariable \"w29\" {\n  default = \"x\"\n}\noutput \"w29\" {\n  value = \"x\"\n  precondition {\n    condition     = var.w29 == \"x\"\n    error_message = \"no\"\n  }\n}"}},
	}},
	{steps: []generation{ // an unchanged object with a condition is imported
		{{"import.tf", "resource \"wrong_dynamic\" \"w30\" {\n  name = \"w30\"\n  lifecycle {\n    postcondition {\n      condition     = self.id != \"never\"\n      error_message = \"no\"\n    }\n  }\n}\nimport {\n  to = wrong_dynamic.w30\n  id = \"w30\"\n}"}},
	}},
	{steps: []generation{ // a block that refers to a whole module depends on an object that the apply forgets in that module
		{
			{"w32/main.tf", "variable \"x\" {}\noutput \"out\" {\n  value = wrong_plain.n.id\n}\nresource \"wrong_plain\" \"n\" {\n  name = \"w32\"\n}"},
			{"module.tf", "module \"w32\" {\n  source = \"./w32\"\n  x      = \"x\"\n}\nresource \"wrong_plain\" \"w33\" {\n  name = \"w33\"\n  both = jsonencode(module.w32)\n}"},
		},
		{
			{"w32/main.tf", "variable \"x\" {}\noutput \"out\" {\n  value = var.x\n}"},
			{"module.tf", "module \"w32\" {\n  source = \"./w32\"\n  x      = \"x\"\n}\nresource \"wrong_plain\" \"w33\" {\n  name = \"w33\"\n  both = jsonencode(module.w32)\n}\nremoved {\n  from = module.w32.wrong_plain.n\n  lifecycle {\n    destroy = false\n  }\n}"},
		},
	}},
	{steps: []generation{ // a data source in a module depends on another module, whose argument refers to an object that changes
		{
			{"w35/main.tf", "variable \"x\" {}\noutput \"out\" {\n  value = var.x\n}"},
			{"w36/main.tf", "variable \"x\" {}\ndata \"wrong_data\" \"w36\" {\n  name = \"w36\"\n}"},
			{"module.tf", "resource \"wrong_plain\" \"w34\" {\n  name = \"w34\"\n  both = \"1\"\n}\nmodule \"w35\" {\n  source = \"./w35\"\n  x      = wrong_plain.w34.name\n}\nmodule \"w36\" {\n  source     = \"./w36\"\n  x          = \"x\"\n  depends_on = [module.w35]\n}"},
		},
		{
			{"w35/main.tf", "variable \"x\" {}\noutput \"out\" {\n  value = var.x\n}"},
			{"w36/main.tf", "variable \"x\" {}\ndata \"wrong_data\" \"w36\" {\n  name = \"w36\"\n}"},
			{"module.tf", "resource \"wrong_plain\" \"w34\" {\n  name = \"w34\"\n  both = \"2\"\n}\nmodule \"w35\" {\n  source = \"./w35\"\n  x      = wrong_plain.w34.name\n}\nmodule \"w36\" {\n  source     = \"./w36\"\n  x          = \"x\"\n  depends_on = [module.w35]\n}"},
		},
	}},
	{steps: []generation{ // two objects with the same name have a warning, and one of them is deleted
		{{"renamed.tf", "resource \"wrong_dynamic\" \"w37\" {\n  name = \"w37\"\n}"}},
		{
			{"renamed.tf", "resource \"wrong_dynamic\" \"w38\" {\n  name = \"w37\"\n}"},
			{sectionBehaviour, "on \"plan\" \"wrong_dynamic\" {\n  name    = \"w37\"\n  warning = \"careful\"\n}"},
		},
	}},
	{steps: []generation{ // an output that is not sensitive has the value of a sensitive output of a module: only the plan reports this
		{
			{"w39/main.tf", "output \"out\" {\n  value     = \"x\"\n  sensitive = true\n}"},
			{"sensitive.tf", "module \"w39\" {\n  source = \"./w39\"\n}\noutput \"w39\" {\n  value = module.w39.out\n}\nresource \"wrong_plain\" \"w39\" {\n  name = \"w39\"\n}\nresource \"wrong_plain\" \"w40\" {\n  name  = \"w40\"\n  force = \"${wrong_plain.w39.force}-x\"\n}"},
		},
	}},
	{steps: []generation{ // a data source that is read during the apply moves with its module
		{
			{"w41/main.tf", "variable \"x\" {}\ndata \"wrong_data\" \"d\" {\n  name = \"w41\"\n  both = var.x\n}"},
			{"module.tf", "module \"w41\" {\n  source = \"./w41\"\n  x      = \"x\"\n}"},
		},
		{
			{"w42/main.tf", "variable \"x\" {}\ndata \"wrong_data\" \"d\" {\n  name = \"w41\"\n  both = var.x\n}"},
			{"module.tf", "module \"w42\" {\n  source = \"./w42\"\n  x      = wrong_plain.w42.id\n}\nresource \"wrong_plain\" \"w42\" {\n  name = \"w42\"\n}\nmoved {\n  from = module.w41\n  to   = module.w42\n}"},
		},
	}},
}
