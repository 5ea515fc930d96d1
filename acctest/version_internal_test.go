package acctest

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// TestVersionOfOpenTofu checks that the engine has the version of the OpenTofu that make builds,
// because tests compare the results of the two.
func TestVersionOfOpenTofu(t *testing.T) {
	t.Parallel()
	if built := tfcli.FromEnvironment().CachedVersion; built != openTofuVersion {
		t.Errorf("the engine has version %s of OpenTofu, want %s, which make builds", openTofuVersion, built)
	}
}
