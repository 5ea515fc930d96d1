package account_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// Hashes of the passwords "one" and "two".
const (
	hashOne = `$6$aaaaaaaa$4ytjk4CO0B599Bzc/7w5hKErpcKA2/MyBcv5dCFNBin3TPSd6cH/XpYf9ZeGd7ZsjNn2xxUXejVbPGVF.jYa6/`
	hashTwo = `$6$bbbbbbbb$Mv7wpljLsv1uYjfdR0/HbCiIgcp62Vg3tklc9YfHU6c8DGFlOphDACGFNqyBu2itRYkLGMqV8B4W9xSdKCYbR/`
)

// field returns the password field of a user.
func field(user string) (string, error) {
	out, err := exec.Command("getent", "shadow", user).Output()
	if err != nil {
		return "", err
	}
	return strings.Split(string(out), ":")[1], nil
}

// hasField checks the password field of the user pat and, if secret is true, that the state has no hash.
func hasField(want string, secret bool) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		if got, err := field("pat"); err != nil || got != want {
			return errors.Join(err, fmt.Errorf("the password field is %q, want %q", got, want))
		}
		if text := s.String(); secret && strings.Contains(text, "$6$") {
			return fmt.Errorf("the state has the hash: %s", text)
		}
		return nil
	}
}

// TestPasswords checks updates and repairs of the password and its lock.
func TestPasswords(t *testing.T) {
	roottest.Require(t)
	const user = "posix_user.pat"
	steps := []struct {
		config string // attributes
		hand   string // script that changes the account before the step
		plan   string
		field  string
	}{
		{config: ``, plan: "create", field: "!"},
		{config: `locked = false`, plan: "update locked", field: "*"},
		{config: `locked = true`, plan: "update locked", field: "!*"},
		{config: ``, plan: "update locked", field: "!*"},
		{config: `password_hash = "` + hashOne + `"`, plan: "update password_hash", field: hashOne},
		{config: `password_hash = "` + hashOne + `"`, hand: "usermod -p '" + hashTwo + "' pat", plan: "update password_hash", field: hashOne},
		{config: `password_hash = "` + hashOne + `"`, hand: "usermod -L pat", plan: "update password_hash", field: hashOne},
		{config: `password_hash = "` + hashOne + `"`, hand: "passwd -d pat", plan: "update password_hash", field: hashOne},
		{config: "password_hash = \"" + hashOne + "\"\nlocked = true", plan: "update locked", field: "!" + hashOne},
		{config: "password_hash = \"" + hashOne + "\"\nlocked = true", hand: "usermod -U pat", plan: "update locked", field: "!" + hashOne},
		{config: "password_hash = \"" + hashTwo + "\"\nlocked = true", plan: "update password_hash", field: "!" + hashTwo},
		{config: `locked = true`, plan: "update password_hash", field: "!" + hashTwo},
		{config: `locked = false`, plan: "update locked", field: hashTwo},
		{config: "password_hash_wo = \"" + hashOne + "\"\npassword_hash_wo_version = \"1\"", plan: "update locked password_hash_wo_intact password_hash_wo_version", field: hashOne},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"1\"", field: hashOne},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"1\"\ncomment = \"x\"", plan: "update comment", field: hashOne},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"2\"", plan: "update password_hash_wo_version", field: hashTwo},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"2\"", hand: "usermod -p '" + hashOne + "' pat", plan: "update password_hash_wo_intact", field: hashTwo},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"2\"", hand: "usermod -L pat", plan: "update password_hash_wo_intact", field: hashTwo},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"2\"\nlocked = true", plan: "update locked", field: "!" + hashTwo},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"2\"", plan: "update locked", field: hashTwo},
		{config: "password_hash_wo = \"" + hashTwo + "\"\npassword_hash_wo_version = \"2\"\nlocked = true", hand: "userdel pat", plan: "create", field: "!" + hashTwo},
		{config: `locked = true`, plan: "update password_hash_wo_intact password_hash_wo_version", field: "!" + hashTwo},
	}
	var all []resource.TestStep
	for i, s := range steps {
		want := resourcetest.Changes{}
		if s.plan != "" {
			want[user] = s.plan
		}
		step := resource.TestStep{
			Config:           fmt.Sprintf("resource \"posix_user\" \"pat\" {\n  name = \"pat\"\n  create_home = false\n%s\n}\n", s.config),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{want}},
			Check: func(state *terraform.State) error {
				if err := hasField(s.field, !strings.Contains(s.config, "password_hash ="))(state); err != nil {
					return fmt.Errorf("step %d (%s; %s): %w", i+1, s.config, s.hand, err)
				}
				return nil
			},
		}
		if s.hand != "" {
			step.PreConfig = func() { must(t, s.hand) }
		}
		all = append(all, step)
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: all})
}

// arguments is a host that records the arguments and the environments of programs.
type arguments struct {
	host.Host
	all *strings.Builder
}

func (a arguments) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	fmt.Fprintln(a.all, cmd.Args, cmd.Env)
	return a.Host.Run(ctx, cmd)
}

// TestHashInNoArgument checks that no argument or environment variable of a program
// contains a hash, because all users of the host can read the arguments.
func TestHashInNoArgument(t *testing.T) {
	roottest.Require(t)
	var output strings.Builder
	noted := resourcetest.ProviderOn(types, func() (host.Host, error) {
		h, err := local.New()
		return arguments{h, &output}, err
	})
	for _, attributes := range []string{`password_hash = "` + hashOne + `"`, "password_hash_wo = \"" + hashOne + "\"; password_hash_wo_version = \"1\"; locked = true"} {
		acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", noted), Steps: []resource.TestStep{
			{Config: one("user", `name = "pat"; create_home = false; `+attributes)},
			{Config: one("user", `name = "pat"; create_home = false; `+attributes), PreConfig: func() { must(t, "usermod -p '"+hashTwo+"' pat") }},
		}})
	}
	if text := output.String(); strings.Contains(text, "$6$") || !strings.Contains(text, "chpasswd") {
		t.Errorf("programs were called with a hash, or chpasswd was not called:\n%s", text)
	}
}
