package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// Locker returns names of locks. Only one operation of the provider can hold a lock at a
// time. Locks are for a disk to which several objects are attached, or an account that
// allows one request at a time. Create, Update and Delete hold these locks while they run.
// The names depend on the inputs of the operation, and for an update also on the prior
// inputs. Plans and reads take no locks.
//
// Names are global in the provider, for all resource types. They appear in logs and errors,
// so they must not be secret. Waiters get a lock in the order of their arrival. The wait
// counts towards the timeout of the operation, and Stop ends it.
//
// Clients start a process for each configuration of a provider. Locks work within one
// process.
type Locker[Config any] interface {
	Locks(cfg Config) []string
}

// Lock waits until no other operation holds any of the names, and takes them all. Unlock
// releases them and may be called more than once. Lock is for a part of an operation, in
// any method of any family; [Locker] is for whole operations.
//
// Lock does not wait for a name that [Locker] has taken for the same operation. Other locks
// are not reentrant: an operation that takes a name that it holds waits for itself. An operation
// that needs several names must take them in one call, which orders them; with several
// calls two operations can wait for each other.
//
// If ctx is done first, the error has the name of the lock, its holder and the length of the wait,
// and wraps the cause of ctx. Lock also returns an error if the operation has ended. After an
// error, the locks that the call took are released. Locks that are still held when the operation
// ends are released, with a warning in the log. Outside of a call of the runtime, Lock does nothing.
func Lock(ctx context.Context, names ...string) (unlock func(), err error) {
	j := joinedFrom(ctx)
	if j == nil {
		return func() {}, nil
	}
	return j.lock(ctx, names)
}

// lock takes the names in the same order for every operation.
func (j *joined) lock(ctx context.Context, names []string) (unlock func(), err error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var taken []*grant
	unlock = sync.OnceFunc(func() {
		for _, g := range slices.Backward(taken) {
			j.tracker.locks.release(g)
		}
	})
	for _, name := range names {
		if slices.Contains(j.whole, name) {
			continue
		}
		g, err := j.tracker.locks.acquire(ctx, j, name)
		if err != nil {
			unlock()
			return nil, err
		}
		taken = append(taken, g)
	}
	return unlock, nil
}

// locks are the named locks of a provider. A name has an entry while it is held.
type locks struct {
	mu   sync.Mutex
	held map[string]*grant
}

// grant is a name that an operation holds or waits for.
type grant struct {
	name  string
	owner *joined
	title string // name of the owner for messages

	waiting []*grant      // for the same name, in the order of their arrival
	given   chan struct{} // closed when granted; nil if there was no wait
}

// longWait is the duration of a wait after which it is logged.
const longWait = time.Second

var errOperationEnded = errors.New("the operation that requested a lock has ended")

func (l *locks) acquire(ctx context.Context, owner *joined, name string) (*grant, error) {
	g := &grant{name: name, owner: owner, title: callFrom(ctx).title()}
	l.mu.Lock()
	if owner.left {
		l.mu.Unlock()
		return nil, errOperationEnded
	}
	holder := l.held[name]
	if holder == nil {
		if l.held == nil {
			l.held = make(map[string]*grant)
		}
		l.held[name] = g
		l.mu.Unlock()
		return g, nil
	}
	g.given = make(chan struct{})
	holder.waiting = append(holder.waiting, g)
	fields := map[string]any{"lock": name, "operation": g.title, "holder": holder.title}
	l.mu.Unlock()
	return g, l.wait(ctx, g, fields)
}

// wait waits until the operation holds the name, or returns an error if ctx is done or the
// operation has ended.
func (l *locks) wait(ctx context.Context, g *grant, fields map[string]any) error {
	start := time.Now()
	long := time.NewTimer(longWait)
	defer long.Stop()
	logged := false
	for {
		select {
		case <-g.given:
			if logged {
				fields["waited"] = time.Since(start).Round(time.Millisecond).String()
				tflog.Info(ctx, "acquired a lock", fields)
			}
			return l.accept(g)
		case <-long.C:
			tflog.Info(ctx, "waiting for a lock", fields)
			logged = true
		case <-ctx.Done():
			holder := l.withdraw(g)
			return fmt.Errorf("waited %s for the lock %q, held by %s: %w",
				time.Since(start).Round(time.Millisecond), g.name, holder, context.Cause(ctx))
		}
	}
}

// accept keeps a lock. If the operation has ended in the meantime, accept passes the lock on and
// returns errOperationEnded.
func (l *locks) accept(g *grant) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.owner.left {
		l.pass(g)
		return errOperationEnded
	}
	return nil
}

// title returns the name of the operation for messages.
func (c *call) title() string {
	switch {
	case c == nil:
		return "an operation"
	case c.operation == "":
		return c.typeName
	default:
		return c.typeName + " " + string(c.operation)
	}
}

// withdraw ends a wait without success, and returns the title of the lock's holder.
func (l *locks) withdraw(g *grant) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	holder := l.held[g.name]
	if holder == nil || !slices.Contains(holder.waiting, g) {
		l.pass(g) // the lock was granted at the same moment
		return "an operation that has just released it"
	}
	holder.waiting = slices.DeleteFunc(holder.waiting, func(w *grant) bool { return w == g })
	return holder.title
}

// release passes a lock to the next waiter, or frees it if there is none.
func (l *locks) release(g *grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(g)
}

// pass passes a lock to the next waiter, unless g has lost it already: the end of an operation
// passes on its locks, even one that was just granted to one of its goroutines. The caller holds
// the mutex.
func (l *locks) pass(g *grant) {
	if l.held[g.name] != g {
		return
	}
	if len(g.waiting) == 0 {
		delete(l.held, g.name)
		return
	}
	next := g.waiting[0]
	next.waiting, g.waiting = g.waiting[1:], nil
	l.held[g.name] = next
	close(next.given)
}

// leave releases the locks that an operation still holds, and returns their names.
func (l *locks) leave(owner *joined) (forgotten []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	owner.left = true
	for name, g := range l.held {
		if g.owner == owner {
			forgotten = append(forgotten, name)
			l.pass(g)
		}
	}
	slices.Sort(forgotten)
	return forgotten
}
