package legacy_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// TestServerDrift checks that changes outside of the provider are reverted, removed
// servers are created again, and unset attributes are read.
func TestServerDrift(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := server("  tags = { env = \"test\" }\n")
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: config},
				{
					PreConfig:          change(t, cloud, "north/web", func(s *Server) { s.Tags["env"], s.Tags["by"] = "prod", "hand" }),
					RefreshState:       true,
					ExpectNonEmptyPlan: true,
					Check:              resource.TestCheckResourceAttr(address, "tags.env", "prod"),
				},
				{
					Config:           config,
					ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr(address, "tags.%", "1"),
						stored(cloud, "north/web", func(s Server) bool { return s.Tags["env"] == "test" && len(s.Tags) == 1 }),
					),
				},
				{
					PreConfig: change(t, cloud, "north/web", func(s *Server) { s.Rules = []Rule{{Action: "allow", Port: 1}} }),
					Config:    config,
					Check:     resource.TestCheckResourceAttr(address, "rule.0.action", "allow"),
				},
				{
					PreConfig:        func() { cloud.Delete("north/web") },
					Config:           config,
					ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
				},
			},
		}
	})
}

// TestServerPolicy checks that a policy with the same JSON value is not a change.
func TestServerPolicy(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(policy string) string { return server("  policy = <<-EOT\n" + policy + "\n  EOT\n") }
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: config("{"), ExpectError: regexp.MustCompile(`"policy" contains an invalid JSON`)},
				{Config: config(`{"a": 1}`)},
				{Config: config("{\n  \"a\": 1\n}"), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
				{Config: config(`{"a": 2}`), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate)},
			},
		}
	})
}

// TestServerPartialFailure checks that a server whose creation fails is tainted and
// replaced, and that the next apply repeats a failed change.
func TestServerPartialFailure(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(env string) string { return server("  tags = { env = \"" + env + "\" }\n") }
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					PreConfig:   func() { cloud.Refuse("web") },
					Config:      config("test"),
					ExpectError: regexp.MustCompile(`the cloud refused the tags`),
				},
				{
					PreConfig:        func() { cloud.Refuse("") },
					Config:           config("test"),
					ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate),
					Check:            resource.TestCheckResourceAttr(address, "revision", "1"),
				},
				{
					PreConfig:   func() { cloud.Refuse("web") },
					Config:      config("prod"),
					ExpectError: regexp.MustCompile(`the cloud refused the tags`),
				},
				{
					PreConfig:        func() { cloud.Refuse("") },
					Config:           config("prod"),
					ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
					Check:            resource.TestCheckResourceAttr(address, "tags.env", "prod"),
				},
			},
		}
	})
}

// TestServerChangeFails checks that the values of a failed change are not stored in the state.
func TestServerChangeFails(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(owner string) string { return server("  owner = \"" + owner + "\"\n") }
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: config("a")},
				{PreConfig: func() { cloud.Refuse("web") }, Config: config("b"), ExpectError: regexp.MustCompile(`the cloud refused`)},
				{PreConfig: func() { cloud.Refuse("") }, Config: config("b"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate)},
			},
		}
	})
}

// TestServerProtected checks that a server that cannot be destroyed stays in the state.
func TestServerProtected(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: server("  tags = { protected = true }\n")},
				{Config: server("  tags = { protected = true }\n"), Destroy: true, ExpectError: regexp.MustCompile(`The server is protected`)},
				{Config: server("  tags = { protected = false }\n"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate)},
			},
		}
	})
}

// TestServerWriteOnly checks that a different secret is sent to the cloud only if its version
// changes too, and that the state does not have the secret.
func TestServerWriteOnly(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(secret, version string) string {
			return server("  secret = \"" + secret + "\"\n  secret_version = " + version + "\n")
		}
		secret := func(want string) resource.TestCheckFunc {
			return stored(cloud, "north/web", func(s Server) bool { return s.Secret == want })
		}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: server("  secret = \"s\"\n"), ExpectError: regexp.MustCompile(`all of .secret,secret_version. must be specified`)},
				{Config: server("  password = \"p\"\n  secret = \"s\"\n  secret_version = 1\n"), ExpectError: regexp.MustCompile(`"password": conflicts with secret`)},
				{
					Config:            config("one", "1"),
					Check:             secret("one"),
					ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("secret"), knownvalue.Null())},
				},
				{Config: config("two", "1"), ConfigPlanChecks: planned(plancheck.ResourceActionNoop), Check: secret("one")},
				{Config: config("two", "2"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: secret("two")},
			},
		}
	})
}

// TestServerInvalid checks the errors of validation.
func TestServerInvalid(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		bad := func(rest, pattern string) resource.TestStep {
			return resource.TestStep{Config: server(rest), ExpectError: regexp.MustCompile(pattern)}
		}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			Steps: []resource.TestStep{
				bad(`  weight = 2`, `expected weight to be in the range \(0\.0+ - 1\.0+\)`),
				bad(`  ports = [70000]`, `to be a valid port number`),
				bad(`  labels = ["a", "b", "c", "d"]`, `(?i)too many list items|supports 3 item maximum`),
				bad(`  labels = ["forbidden"]`, `the label forbidden is forbidden`),
				bad("  boot {\n    image = \"a\"\n  }\n  boot {\n    image = \"b\"\n  }\n", `Too many boot blocks`),
				bad("  disk {\n    gb = 1\n  }\n", `The argument "name" is required`),
				bad("  disk {\n    name = \"a\"\n    id = \"mine\"\n  }\n", `(?s)Value for unconfigurable attribute|decided automatically`),
				bad(`  revision = 3`, `(?s)Value for unconfigurable attribute|decided automatically`),
				bad(`  colour = "red"`, `An argument named "colour" is not expected here`),
				bad("  timeouts {\n    delete = \"1m\"\n  }\n", `An argument named "delete" is not expected here`),
				bad(`  enabled = "perhaps"`, `a bool is required`),
			},
		}
	})
}
