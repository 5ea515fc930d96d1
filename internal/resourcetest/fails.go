package resourcetest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Fails applies a configuration that has to fail, with words that are in the error.
// With planned, the plan has to fail already.
func Fails(t *testing.T, p func() (provider.Interface, error), config string, planned bool, words string) {
	t.Helper()
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps:                    []resource.TestStep{{Config: config, PlanOnly: planned, ExpectError: Words(words)}},
	})
}

// Words finds a text where a command line has wrapped it.
func Words(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│]+`))
}
