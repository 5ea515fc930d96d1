package acctest

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
)

// Conformance tries the laws of package conformance on a provider: random
// configurations from its schemas, led through whole lives. A law that is broken
// fails the test with the smallest configuration that shows it.
func Conformance(tb testing.TB, options conformance.Options) {
	tb.Helper()
	conformance.Conformance(tb, options)
}
