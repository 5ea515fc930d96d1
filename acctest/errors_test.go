package acctest_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/demo"
)

// refused has invalid configurations by test name.
var refused = map[string]string{
	"an argument that does not exist":  "resource \"demo_page\" \"p\" {\n  name = \"a\"\n  nothing = 1\n}\n",
	"a block that does not exist":      "resource \"demo_page\" \"p\" {\n  nothing {\n  }\n}\n",
	"a missing argument":               "resource \"demo_page\" \"p\" {\n}\n",
	"a type that does not exist":       "resource \"demo_nothing\" \"p\" {\n}\n",
	"a wrong type":                     "resource \"demo_page\" \"p\" {\n  name = []\n}\n",
	"a syntax error":                   "resource \"demo_page\" \"p\" {\n  name =\n}\n",
	"a call that fails":                "output \"o\" {\n  value = element([], 1)\n}\n",
	"a call in a resource":             "locals {\n  l = [\"a\"]\n}\nresource \"demo_page\" \"p\" {\n  name = index(local.l, \"b\")\n}\n",
	"a name that does not exist":       "output \"o\" {\n  value = var.nothing\n}\n",
	"a resource that does not exist":   "output \"o\" {\n  value = demo_page.nothing.name\n}\n",
	"an attribute that does not exist": "locals {\n  o = { a = 1 }\n}\noutput \"o\" {\n  value = local.o.b\n}\n",
	"an index out of range":            "locals {\n  l = tolist([\"a\"])\n}\noutput \"o\" {\n  value = local.l[3]\n}\n",
	"a validation":                     "variable \"v\" {\n  default = 7\n  validation {\n    condition     = var.v != 7\n    error_message = \"Not seven.\"\n  }\n}\n",
	"a precondition of an output":      "locals {\n  n = 1\n}\noutput \"o\" {\n  value = 1\n  precondition {\n    condition     = local.n > 1\n    error_message = \"Too small, and this is said in more words than have a place in a line of the output.\"\n  }\n}\n",
	"a sensitive output":               "output \"o\" {\n  value = sensitive(1)\n}\n",
	"a variable without a value":       "variable \"v\" {}\noutput \"o\" {\n  value = var.v\n}\n",
	"a wrong default":                  "variable \"v\" {\n  type    = number\n  default = \"a\"\n}\n",
	"a wrong count":                    "resource \"demo_page\" \"p\" {\n  count = -1\n  name  = \"a\"\n}\n",
	"a wrong for_each":                 "resource \"demo_page\" \"p\" {\n  for_each = [\"a\"]\n  name     = \"a\"\n}\n",
	"a duplicate name":                 "locals {\n  a = 1\n}\nlocals {\n  a = 2\n}\n",
}

// header matches the lines with the summary, the source and the values in an error. The
// engine words the other lines differently from the command.
var header = regexp.MustCompile(`(?m)^(Error: .*|  with .*|  on .*| +\d+: .*|    [├│].*)$`)

// TestErrorsLikeTheCommand compares the errors of the engine for invalid configurations
// with those of the command.
func TestErrorsLikeTheCommand(t *testing.T) {
	t.Parallel()
	pages := acctest.Factories("demo", demo.New)
	for name, text := range refused {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text += "provider \"demo\" {\n  directory = \"/nonexistent\"\n}\n"
			w := acctest.NewServedWorkdir(t, "demo", demo.New)
			w.Write("main.tf", text)
			cmd := w.Command(t.Context(), "plan", "-no-color", "-input=false")
			var printed bytes.Buffer
			cmd.Stderr = &printed
			if err := cmd.Run(); err == nil {
				t.Fatal("the command accepts the configuration, want an error")
			}
			if diff := cmp.Diff(header.FindAllString(printed.String(), -1), header.FindAllString(acctest.PlanError(text, pages), -1)); diff != "" {
				t.Errorf("errors (-command +engine):\n%s", diff)
			}
		})
	}
}
