package target_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/target"
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
		got, err := target.ParseNamed(id, check)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: %v, want an error with %q", id, err, want.fails)
			}
			continue
		}
		name := ""
		if got.Host != nil {
			name = *got.Host
		}
		if err != nil || name != want.host || got.Name != want.name {
			t.Errorf("%q: host %q, name %q (%v)", id, name, got.Name, err)
		}
	}
}

func TestAlone(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{})
	hosts, err := target.NewHosts(h)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	inside := 0 // the race detector sees who is not alone
	for range 50 {
		all.Go(func() {
			if err := hosts.Alone(t.Context(), h, "accounts", func() error { inside++; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	err = hosts.Alone(t.Context(), h, "accounts", func() error {
		if err := hosts.Alone(t.Context(), h, "packages", func() error { return nil }); err != nil {
			t.Error(err)
		}
		cancel()
		return hosts.Alone(ctx, h, "accounts", func() error { return nil })
	})
	if inside != 50 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d were inside; one that waited: %v", inside, err)
	}
}
