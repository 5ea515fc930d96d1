package address_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/resources/address"
)

func TestParseNamed(t *testing.T) {
	t.Parallel()
	check := func(name string) error {
		if name == "bad" {
			return errors.New("it is bad")
		}
		return nil
	}
	for id, want := range map[string]struct{ host, name, fails string }{
		"alice":              {name: "alice"},
		"local:alice":        {host: "local", name: "alice"},
		"a@b.c:22:alice":     {host: "a@b.c:22", name: "alice"},
		"a@[::1]:22:alice":   {host: "a@[::1]:22", name: "alice"},
		"web:net.core/x_max": {host: "web", name: "net.core/x_max"},
		"":                   {fails: "local:name"},
		"local:":             {fails: "local:name"},
		":alice":             {fails: "empty"},
		"a b:alice":          {fails: "not a valid host name or address"},
		"web:bad":            {fails: "it is bad"},
	} {
		got, err := address.ParseNamed(id, check)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: error %v, want an error with %q", id, err, want.fails)
			}
			continue
		}
		name := ""
		if got.Host != nil {
			name = *got.Host
		}
		if err != nil || name != want.host || got.Name != want.name {
			t.Errorf("%q: host %q, name %q (%v), want %q and %q", id, name, got.Name, err, want.host, want.name)
		}
	}
}
