package runtime

import (
	"errors"
	"testing"
)

// TestLockGrantedAtTheEnd checks that a goroutine that waits for a lock does not release the lock of
// the next operation, if the lock is granted just before the operation of the goroutine ends.
func TestLockGrantedAtTheEnd(t *testing.T) {
	t.Parallel()
	const name = "rack"
	for how, wake := range map[string]func(l *locks, g *grant) error{
		"granted":  (*locks).accept,
		"canceled": func(l *locks, g *grant) error { l.withdraw(g); return errOperationEnded },
	} {
		for _, others := range []int{0, 1, 2} {
			var l locks
			holder, err := l.acquire(t.Context(), &joined{}, name)
			if err != nil {
				t.Fatal(err)
			}
			wait := func() *grant {
				g := &grant{name: name, owner: &joined{}, given: make(chan struct{})}
				holder.waiting = append(holder.waiting, g)
				return g
			}
			ending, next := wait(), []*grant{nil}
			for range others {
				next = append(next[:len(next)-1], wait(), nil)
			}
			l.release(holder)
			if l.held[name] != ending {
				t.Fatal("the lock was not granted to the first waiter")
			}
			l.leave(ending.owner)
			if err := wake(&l, ending); !errors.Is(err, errOperationEnded) {
				t.Errorf("%s, %d others: got error %v, want %v", how, others, err, errOperationEnded)
			}
			for i, g := range next {
				if l.held[name] != g {
					t.Fatalf("%s, %d others: after %d of them released the lock, the holder is %p, want %p", how, others, i, l.held[name], g)
				}
				if g != nil {
					l.release(g)
				}
			}
		}
	}
}
