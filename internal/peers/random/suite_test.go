package random_test

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	tfprotov5 "github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/posixform/terraform-provider-posix/internal/peers/random"
)

// v5 and v6 serve the provider by either protocol; the suite alternates.
func v5() map[string]func() (tfprotov5.ProviderServer, error) {
	return map[string]func() (tfprotov5.ProviderServer, error){"random": providerserver.NewProtocol5WithError(random.New(random.Current))}
}

func v6(release random.Release) map[string]func() (tfplugin.ProviderServer, error) {
	return map[string]func() (tfplugin.ProviderServer, error){"random": providerserver.NewProtocol6WithError(random.New(release))}
}

// planned expects an action before the apply, and an empty plan after it.
func planned(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// length matches a text of n characters.
func length(n string) *regexp.Regexp { return regexp.MustCompile(`^.{` + n + `}$`) }
