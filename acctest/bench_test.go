package acctest_test

import (
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// benchT is a T for benchmarks.
type benchT struct{ *testing.B }

func (benchT) Parallel() {}

// threeSteps returns the test case of the benchmarks: create, update, import.
func threeSteps(path string) resource.TestCase {
	b := bench{path: path}
	return b.steps(
		resource.TestStep{Config: b.config("one\n"), Check: resource.TestCheckResourceAttr(this, "lines", "1")},
		resource.TestStep{Config: b.config("one\ntwo\n"), Check: resource.TestCheckResourceAttr(this, "lines", "2")},
		b.imports(func(*resource.TestStep) {}),
	)
}

// BenchmarkTest runs a test case of three steps in this process; BenchmarkTestCLI runs
// the same on the command.
func BenchmarkTest(b *testing.B) {
	b.ReportAllocs()
	path := filepath.Join(b.TempDir(), "note")
	for b.Loop() {
		acctest.Test(benchT{b}, threeSteps(path))
	}
}

func BenchmarkTestCLI(b *testing.B) {
	acctest.Engine(b)
	b.Setenv(acctest.EnvEngine, "cli")
	path := filepath.Join(b.TempDir(), "note")
	for b.Loop() {
		acctest.Test(benchT{b}, threeSteps(path))
	}
}
