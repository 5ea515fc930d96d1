package acctest_test

import (
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// benchT is a benchmark as a T.
type benchT struct{ *testing.B }

func (benchT) Parallel() {}

// threeSteps is what speed is measured by: create, update, import.
func threeSteps(path string) resource.TestCase {
	b := bench{path: path}
	return b.steps(
		resource.TestStep{Config: b.config("one\n"), Check: resource.TestCheckResourceAttr(this, "lines", "1")},
		resource.TestStep{Config: b.config("one\ntwo\n"), Check: resource.TestCheckResourceAttr(this, "lines", "2")},
		b.imports(func(*resource.TestStep) {}),
	)
}

// BenchmarkTest is a test case of three steps in this process. What the same costs
// on the command line is BenchmarkTestCLI's.
func BenchmarkTest(b *testing.B) {
	b.ReportAllocs()
	path := filepath.Join(b.TempDir(), "note")
	for b.Loop() {
		acctest.Test(benchT{b}, threeSteps(path))
	}
}

// BenchmarkTestCLI is BenchmarkTest on the command.
func BenchmarkTestCLI(b *testing.B) {
	acctest.Engine(b)
	b.Setenv(acctest.EnvEngine, "cli")
	path := filepath.Join(b.TempDir(), "note")
	for b.Loop() {
		acctest.Test(benchT{b}, threeSteps(path))
	}
}
