//go:build unix

package shellrpc_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var accountKeys = []string{
	"root", "0", "00", "nobody", "daemon", "1", "65534", "54321", "4294967294", "4294967295", "4294967296", "99999999999999999999",
	"", "no-such-name", "Root", " root", "root ", "root:", "root:x", "root\n", "-1", "+0", "0x0", "1.0", "a\x00b", "\xff", "--help", "*",
	"$(id)", "root,daemon", "-s",
}

// TestAccounts checks that Accounts finds the same users and groups as host/local.
func TestAccounts(t *testing.T) {
	t.Parallel()
	want, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	remotetest.OnEach(t, remotetest.Variants(), func(t *testing.T, s *remotetest.Starter) {
		a := shellrpc.NewAccounts("web1", newCoalescer(t, s))
		for _, key := range accountKeys {
			user, err := a.LookupUser(t.Context(), key)
			wantUser, wantErr := want.LookupUser(t.Context(), key)
			if user != wantUser || errors.Is(err, host.ErrUnknownUser) != (wantErr != nil) {
				t.Errorf("user %q is %+v, error %v; want %+v, %v", key, user, err, wantUser, wantErr)
			}
			group, err := a.LookupGroup(t.Context(), key)
			wantGroup, wantErr := want.LookupGroup(t.Context(), key)
			if group != wantGroup || errors.Is(err, host.ErrUnknownGroup) != (wantErr != nil) {
				t.Errorf("group %q is %+v, error %v; want %+v, %v", key, group, err, wantGroup, wantErr)
			}
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	a := shellrpc.NewAccounts("web1", newCoalescer(t, s))
	check := func() {
		t.Helper()
		for id, want := range map[uint32]string{0: "root", 1: "daemon", 54321: "54321", 4294967295: "4294967295"} {
			if name, err := a.UserName(t.Context(), id); err != nil || name != want {
				t.Errorf("user %d is %q, error %v, want %q", id, name, err, want)
			}
			if name, err := a.GroupName(t.Context(), id); err != nil || name != want {
				t.Errorf("group %d is %q, error %v, want %q", id, name, err, want)
			}
		}
	}
	check()
	before := s.Writes()
	for range 10 {
		check()
	}
	if trips := s.Writes() - before; trips > 20 { // the highest ID is reserved, so it is looked up again each time
		t.Errorf("%d round trips for cached entries, want at most 20", trips)
	}
}

// TestForget checks that accounts are read again after Forget, even if they were being read during the call.
func TestForget(t *testing.T) {
	t.Parallel()
	s := only(t, "sh", "stat", "sleep")
	dir := filepath.Dir(s.Shell[0])
	file := func(name string) string { return filepath.Join(dir, name) }
	script(t, dir, "cat", `[ "$1" = /etc/passwd ] || exit 0
CAT "`+file("accounts")+`"
>"`+file("started")+`"
until [ -e "`+file("go on")+`" ]; do sleep 0.01; done`)
	change := func(uid int) {
		if err := os.WriteFile(file("accounts"), fmt.Appendf(nil, "app:x:%d:1::/:/bin/sh\n", uid), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := shellrpc.NewAccounts("web1", newCoalescer(t, s))
	check := func(want uint32) {
		t.Helper()
		if user, err := a.LookupUser(t.Context(), "app"); err != nil || user.UID != want {
			t.Errorf("the user is %+v, error %v, want the UID %d", user, err, want)
		}
	}
	change(1001)
	var reading sync.WaitGroup
	reading.Go(func() { check(1001) })
	for _, err := os.Stat(file("started")); err != nil; _, err = os.Stat(file("started")) {
		time.Sleep(time.Millisecond)
	}
	change(1002)
	a.Forget()
	if err := os.WriteFile(file("go on"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reading.Wait()
	check(1002)
	change(1003)
	check(1002)
	a.Forget()
	check(1003)
}

func TestConcurrentLookups(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	a := shellrpc.NewAccounts("web1", newCoalescer(t, s))
	if err := together(200, func(i int) error {
		name, err := a.UserName(t.Context(), uint32(i%2))
		if err == nil && name != []string{"root", "daemon"}[i%2] {
			err = fmt.Errorf("user %d is %q", i%2, name)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if s.Writes() > 2 { // the start, and the files
		t.Errorf("%d round trips, want at most 2", s.Writes())
	}
}

// TestDirectoryService checks that accounts that are not in local files are looked up in
// the host's other databases.
func TestDirectoryService(t *testing.T) {
	t.Parallel()
	alice := host.User{Name: "alice", UID: 501, GID: 20, Home: "/Users/alice"}
	for _, key := range []string{"alice", "501"} {
		a := shellrpc.NewAccounts("mac", newCoalescer(t, bsd(t)))
		if user, err := a.LookupUser(t.Context(), key); err != nil || user != alice {
			t.Errorf("%s is %+v, error %v, want %+v", key, user, err, alice)
		}
	}
	a := shellrpc.NewAccounts("mac", newCoalescer(t, bsd(t)))
	if name, err := a.UserName(t.Context(), 501); err != nil || name != "alice" {
		t.Errorf("user 501 is %q, error %v, want alice", name, err)
	}
	if _, err := a.LookupUser(t.Context(), "bob"); !errors.Is(err, host.ErrUnknownUser) {
		t.Errorf("error %v", err)
	}
}

// TestNumericNames checks accounts whose name looks like the ID of another account.
func TestNumericNames(t *testing.T) {
	t.Parallel()
	s := only(t, "sh", "stat", "cat")
	script(t, filepath.Dir(s.Shell[0]), "getent", `case "$1 $2" in
  "passwd 501") echo "501:x:7001:7001::/:/bin/sh" ;;
  "group 501") echo "501:x:7001:" ;;
  *) exit 2 ;;
esac`)
	a := shellrpc.NewAccounts("web1", newCoalescer(t, s))
	if user, err := a.LookupUser(t.Context(), "501"); err != nil || user.UID != 7001 {
		t.Errorf("user 501 is %+v, error %v, want UID 7001", user, err)
	}
	if name, err := a.UserName(t.Context(), 501); err != nil || name != "501" {
		t.Errorf("the name of UID 501 is %q, error %v, want 501", name, err)
	}
	if name, err := a.UserName(t.Context(), 7001); err != nil || name != "501" {
		t.Errorf("the name of UID 7001 is %q, error %v, want 501", name, err)
	}
	if group, err := a.LookupGroup(t.Context(), "501"); err != nil || group.GID != 7001 {
		t.Errorf("group 501 is %+v, error %v, want GID 7001", group, err)
	}
}

// TestComments checks that comments and entries for NIS are not returned as accounts.
func TestComments(t *testing.T) {
	t.Parallel()
	s := only(t, "sh", "stat")
	script(t, filepath.Dir(s.Shell[0]), "cat", `case $1 in
  /etc/passwd) printf '%s:1::/:/bin/sh\n' '#al:x:1000' 'bob:x:1000' '+al:x:1001' '-al:x:1002' ;;
  /etc/group) printf '%s:\n' '#al:x:1000' 'bob:x:1000' '+al:x:1001' '-al:x:1002' ;;
esac`)
	a := shellrpc.NewAccounts("web1", newCoalescer(t, s))
	for id, want := range map[uint32]string{1000: "bob", 1001: "1001", 1002: "1002"} {
		if name, err := a.UserName(t.Context(), id); err != nil || name != want {
			t.Errorf("the name of UID %d is %q, error %v, want %q", id, name, err, want)
		}
		if name, err := a.GroupName(t.Context(), id); err != nil || name != want {
			t.Errorf("the name of GID %d is %q, error %v, want %q", id, name, err, want)
		}
	}
}

// TestFailedLookup checks that a failed lookup returns an error, unlike the lookup of an ID
// without a name.
func TestFailedLookup(t *testing.T) {
	t.Parallel()
	lost := errors.New("the connection is down")
	a := shellrpc.NewAccounts("web1", newCoalescer(t, &remotetest.Starter{Lost: func() error { return lost }}))
	if name, err := a.UserName(t.Context(), 0); !errors.Is(err, lost) {
		t.Errorf("user 0 is %q, error %v, want %v", name, err, lost)
	}
	_, err := a.LookupGroup(t.Context(), "0")
	if typed, ok := errors.AsType[*host.Error](err); !ok || typed.Host != "web1" || !errors.Is(err, lost) {
		t.Errorf("error %v", err)
	}
}
