//go:build unix && !aix && !solaris

package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// TestGetent puts a fake getent first in PATH: without the C library, that command finds
// users of directory services. The test checks that these users are found and cached.
func TestGetent(t *testing.T) {
	bin := t.TempDir()
	calls, down := filepath.Join(bin, "calls"), filepath.Join(bin, "down")
	script := fmt.Sprintf(`#!/bin/sh
echo "$*" >>'%s'
[ ! -e '%s' ] || exit 1
case "$*" in
"passwd netuser" | "passwd 70001") echo 'netuser:*:70001:70002:Some, One:/net/home:/bin/sh' ;;
"group netgroup" | "group 70002") echo 'netgroup:*:70002:netuser' ;;
"passwd alias") echo 'netuser:*:70001:70002::/net/home:/bin/sh' ;;
"passwd broken") echo 'broken:*:many:70002::/:/bin/sh' ;;
"passwd short") echo 'short:*' ;;
"passwd leaked") [ -z "$POSIX_PASSWORD" ] || echo 'leaked:*:70003:70002::/:/bin/sh' ;;
*) exit 2 ;;
esac
`, calls, down)
	if err := os.WriteFile(filepath.Join(bin, "getent"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("POSIX_PASSWORD", "hidden")
	h, dir := newHost(t)
	// While the directory service is unreachable, a lookup fails: it must not report that the account is unknown or
	// has no name. The error is not cached.
	if err := os.WriteFile(down, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"netuser", "70001"} {
		if user, err := h.LookupUser(t.Context(), text); err == nil || errors.Is(err, host.ErrUnknownUser) {
			t.Errorf("lookup of user %s in an unreachable directory service returned %+v, %v, want an error other than %v", text, user, err, host.ErrUnknownUser)
		}
	}
	for _, text := range []string{"netgroup", "70002"} {
		if group, err := h.LookupGroup(t.Context(), text); err == nil || errors.Is(err, host.ErrUnknownGroup) {
			t.Errorf("lookup of group %s in an unreachable directory service returned %+v, %v, want an error other than %v", text, group, err, host.ErrUnknownGroup)
		}
	}
	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"netuser", "70001"} {
		user, err := h.LookupUser(t.Context(), text)
		if want := (host.User{Name: "netuser", UID: 70001, GID: 70002, Home: "/net/home"}); err != nil || user != want {
			t.Errorf("%s is %+v, %v; want %+v", text, user, err, want)
		}
	}
	for _, text := range []string{"netgroup", "70002"} {
		group, err := h.LookupGroup(t.Context(), text)
		if want := (host.Group{Name: "netgroup", GID: 70002}); err != nil || group != want {
			t.Errorf("%s is %+v, %v; want %+v", text, group, err, want)
		}
	}
	// An entry is not used if it is invalid or has another name. The environment of the provider, which may have
	// secrets, is not passed on.
	for _, text := range []string{"alias", "broken", "short", "nobody-here", "leaked"} {
		if user, err := h.LookupUser(t.Context(), text); !errors.Is(err, host.ErrUnknownUser) {
			t.Errorf("%s is %+v, %v; want %v", text, user, err, host.ErrUnknownUser)
		}
	}
	if os.Geteuid() == 0 {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 70001, 70002); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(calls, 0); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			info, err := h.Lstat(t.Context(), path)
			if err != nil || info.Owner != "netuser" || info.Group != "netgroup" {
				t.Fatalf("Lstat returned %+v, error %v, want owner netuser and group netgroup", info, err)
			}
		}
		if asked, err := os.ReadFile(calls); err != nil || len(asked) > 0 {
			t.Errorf("cached entries were looked up again (error %v):\n%s", err, asked)
		}
	}
}

// TestLookupIsNotCachedWhenCanceled checks that a lookup that was canceled is not
// cached as a UID without a name.
func TestLookupIsNotCachedWhenCanceled(t *testing.T) {
	t.Parallel()
	h, _ := newHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if user, err := h.LookupUser(ctx, "0"); !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled lookup returned %+v, %v, want %v", user, err, context.Canceled)
	}
	if user, err := h.LookupUser(t.Context(), "0"); err != nil || user.Name != "root" {
		t.Errorf("the next lookup returned %+v, %v, want root", user, err)
	}
}
