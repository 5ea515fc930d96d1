package faulttest_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestAccFaultKill kills the provider at random moments of creates and updates over a
// slow connection, with the checks of [TestAccKill] on the server.
func TestAccFaultKill(t *testing.T) {
	faulty(t)
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	line := nettest.Start(t, server.Addr(), slowLine)
	w, program := ownProgram(t)
	k := newKilling(t, program, webAt(t, server, key, line.Addr()), func(config string) killed { return newCommandLine(w, config) })
	hits, left := 0, 0
	v, rounds := 0, tier.Pick(0, 1, 2)
	for round := 0; killMore(round, rounds, hits); round++ {
		v = 1 + round%2
		if k.applyAndKill(t, v, 1+k.random.IntN(3*k.pending(t, v))) {
			hits++
		}
		left += len(k.temporary(t))
		k.apply(t, v)
	}
	resourcetest.Must(t, k.run.unchanged(t.Context(), v))
	t.Logf("%d applies were killed before their end, with %d temporary files left behind", hits, left)
	if hits == 0 {
		t.Error("no apply was killed before its end: nothing was tried")
	}
}
