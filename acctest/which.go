package acctest

import (
	"os"

	"github.com/posixform/terraform-provider-posix/engine"
)

// EnvEngine names the environment variable that says what tests run on: nothing
// for the engine in this process, "cli" for the real command, "both" for one
// after the other with the same verdict.
const EnvEngine = "ACCTEST_ENGINE"

// EnvFlavor names the environment variable that says whose verdicts the engine
// in this process gives: "opentofu", which is the default, or "terraform".
const EnvFlavor = "ACCTEST_FLAVOR"

// which is what tests run on.
type which int

const (
	inProcess which = iota
	onCLI
	onBoth
)

// choice reads EnvEngine and EnvFlavor. A value that is none of theirs stops the
// test: to run it on something else would pass for what was asked.
func choice(t T) (which, engine.Flavor) {
	t.Helper()
	var on which
	switch v := os.Getenv(EnvEngine); v {
	case "", "inprocess":
	case "cli":
		on = onCLI
	case "both":
		on = onBoth
	default:
		t.Fatalf("%s is %q: it must be empty, \"inprocess\", \"cli\" or \"both\"", EnvEngine, v)
	}
	switch v := os.Getenv(EnvFlavor); v {
	case "", "opentofu":
		return on, engine.OpenTofu
	case "terraform":
		return on, engine.Terraform
	default:
		t.Fatalf("%s is %q: it must be empty, \"opentofu\" or \"terraform\"", EnvFlavor, v)
		return on, engine.OpenTofu
	}
}
