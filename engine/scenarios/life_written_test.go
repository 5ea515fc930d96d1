package scenarios_test

// written are lives that differed once, or that generated ones have too seldom.
var written = []life{
	{steps: []generation{ // an output of a former run becomes unknown, and a new one is
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
}
