package account_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

func oneOf(values ...string) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
}

func numberOf(values ...int64) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value { return cty.NumberIntVal(values[r.IntN(len(values))]) }
}

// someOf returns a function that returns a random subset of values.
func someOf(values ...string) func(*rand.Rand) cty.Value {
	return func(r *rand.Rand) cty.Value {
		var some []cty.Value
		for _, v := range values {
			if r.IntN(2) == 0 {
				some = append(some, cty.StringVal(v))
			}
		}
		if len(some) == 0 {
			return cty.SetValEmpty(cty.String)
		}
		return cty.SetVal(some)
	}
}

func TestConformance(t *testing.T) {
	roottest.Require(t)
	name := func(state cty.Value) string { return state.GetAttr("name").AsString() }
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return serve() },
		Reset: func(context.Context) error {
			return sh("for n in cf1 cf2 cf.3; do userdel $n 2>/dev/null || :; groupdel $n 2>/dev/null || :; done; rm -rf /srv/cf /home/cf*")
		},
		Runs: tier.Pick(0, 3, 30),
		Types: map[string]conformance.Type{
			"posix_group": {
				Leave: []string{"host"},
				Values: map[string]func(*rand.Rand) cty.Value{
					"name": oneOf("cf1", "cf2", "cf.3"), "gid": numberOf(5001, 5002), "members": someOf("games", "daemon"),
				},
				StateOnly: []string{"system"},
				ImportID:  name,
				Drift: func(_ context.Context, state cty.Value) error {
					return sh("groupmod -g 5$(date +%N | cut -c1-6) " + name(state))
				},
			},
			"posix_user": {
				Leave: []string{"host", "password_hash_wo", "password_hash_wo_version"},
				Values: map[string]func(*rand.Rand) cty.Value{
					"name": oneOf("cf1", "cf2", "cf.3"), "uid": numberOf(5001, 5002), "group": oneOf("users", "games"), "groups": someOf("tty", "daemon", "audio"),
					"comment": oneOf("", "A", "é, 1"), "home": oneOf("/srv/cf/a", "/srv/cf/b", "/srv/cf/c"), "shell": oneOf("", "/bin/sh", "/bin/bash"),
					"expires": oneOf("never", "2031-02-03", "1999-12-31"), "password_hash": oneOf(hashOne, hashTwo),
				},
				StateOnly: []string{"system", "move_home", "remove_home", "create_home", "locked", "password_hash", "password_hash_wo_intact"},
				ImportID:  name,
				Drift: func(_ context.Context, state cty.Value) error {
					return sh("usermod -c Drifted-$(date +%N) " + name(state))
				},
			},
		},
	})
}
