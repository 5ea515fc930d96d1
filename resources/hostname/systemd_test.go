package hostname_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestLifeSystemd sets the name on a host with a running systemd.
func TestLifeSystemd(t *testing.T) {
	roottest.Require(t)
	b := resourcetest.Boot(t)
	// The last word is the name that systemd reports.
	good := b.Does("test \"$(hostname) $(cat /etc/hostname) $(hostnamectl hostname)\" = 'web1 web1 web1'")
	resourcetest.Life{
		Provider: b.Provider(types),
		Config:   resourcetest.ExampleFile(t, "resources/posix_hostname/resource.tf"),
		Address:  "posix_hostname.this",
		ImportID: b.Name(), WithHost: b.Name(), Stays: true,
		Drifts: map[string]resourcetest.Drift{
			"file":        {Make: b.Does("echo other >/etc/hostname"), Plan: "update name", Check: good},
			"live":        {Make: b.Does("hostname other"), Plan: "update live_name", Check: good},
			"hostnamectl": {Make: b.Does("hostnamectl set-hostname other"), Plan: "update live_name name", Check: good},
			"no file":     {Make: b.Does("rm /etc/hostname"), Plan: "create", Check: good},
		},
	}.Run(t)
	t.Run("Notified", func(t *testing.T) {
		resourcetest.Must(t, b.Does(`systemd-run --quiet --unit=monitor sh -c 'exec busctl monitor --match "type=signal,path=/org/freedesktop/hostname1" >/run/signals 2>&1'
until grep -qs Monitoring /run/signals; do sleep 0.1; done`)())
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", b.Provider(types)),
			Steps:                    []resource.TestStep{{Config: config("notified"), Check: resourcetest.Check(b.Does("timeout 60 sh -c 'until grep -q notified /run/signals; do sleep 0.1; done'"))}},
		})
	})
	t.Run("Reboot", func(t *testing.T) {
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", b.Provider(types)),
			Steps: []resource.TestStep{
				{Config: config("kept.example.com")},
				{Config: config("kept.example.com"), PreConfig: func() { b.Reboot(t) }, ConfigPlanChecks: resourcetest.Plans("posix_hostname.this", "")},
			},
		})
		resourcetest.Must(t, b.Does("test \"$(hostname)\" = kept.example.com")())
	})
	t.Run("Conformance", func(t *testing.T) {
		tier.Nightly(t) // TestConformance checks the same laws without systemd
		reset := b.Does("echo was >/etc/hostname; hostname was")
		conformance.Conformance(t, options(b.Provider(types), reset, b.Name(), b.Does("hostname drifted")))
	})
}
