package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// testReadDuringWrite checks that a read returns the whole state that existed when the read
// began, even if a write replaces it.
func testReadDuringWrite[Config any](t *testing.T, p place[Config]) {
	reader, writer := p.client(t), p.client(t)
	old, state := content(1, 300_000), content(2, 200_000)
	writer.write("default", old)
	body, size, err := reader.store.Read(t.Context(), reader.cfg, "default")
	if err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, 1000)
	if _, err := io.ReadFull(body, begin); err != nil {
		t.Fatal(err)
	}
	writer.write("default", state)
	rest, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	got := slices.Concat(begin, rest)
	if !bytes.Equal(got, old) || size >= 0 && size != int64(len(got)) {
		t.Errorf("read %d bytes with the size %d, want the %d bytes that the state had when the read began", len(got), size, len(old))
	}
	reader.has("default", state)
}

func testConcurrent[Config any](t *testing.T, p place[Config]) {
	const writers, rounds = 4, 8
	versions := make([][]byte, writers)
	for i := range versions {
		versions[i] = content(uint64(i), 20_000+1000*i)
	}
	p.client(t).write("default", versions[0])
	known := func(state []byte) bool {
		return slices.ContainsFunc(versions, func(v []byte) bool { return bytes.Equal(v, state) })
	}
	var running sync.WaitGroup
	for i := range writers {
		c := p.client(t)
		running.Go(func() {
			for range rounds {
				if err := c.store.Write(t.Context(), c.cfg, "default", bytes.NewReader(versions[i]), int64(len(versions[i]))); err != nil {
					t.Errorf("write: %v", err)
				}
				switch state, err := c.load(t.Context(), "default"); {
				case err != nil:
					t.Errorf("read: %v", err)
				case !known(state):
					t.Errorf("read %d bytes, which are none of the written states", len(state))
				}
			}
		})
	}
	running.Wait()
	p.client(t).lists("default")
}

func testDelete[Config any](t *testing.T, p place[Config]) {
	c := p.client(t)
	c.write("a", content(1, 10))
	c.write("b", content(2, 10))
	c.remove("a")
	other := p.client(t)
	other.absent("a")
	other.has("b", content(2, 10))
	other.lists("b")
	c.write("a", content(3, 10))
	other.has("a", content(3, 10))
}

// locked fails the test unless err is a [runtime.LockedError] with this ID.
func locked(t *testing.T, err error, id string) {
	t.Helper()
	if held, ok := errors.AsType[*runtime.LockedError](err); !ok || held.ID != id {
		t.Fatalf("lock of a locked state: got %v, want a runtime.LockedError with the ID %q", err, id)
	}
}

func testLock[Config any](t *testing.T, p place[Config]) {
	first, second := p.client(t), p.client(t)
	ctx := t.Context()
	id, err := first.store.Lock(ctx, first.cfg, "a", "apply")
	if err != nil || id == "" {
		t.Fatalf("lock of a state that does not exist yet: got %q, %v, want an ID and no error", id, err)
	}
	first.lists()
	_, err = second.store.Lock(ctx, second.cfg, "a", "plan")
	locked(t, err, id)
	_, err = first.store.Lock(ctx, first.cfg, "a", "plan")
	locked(t, err, id)
	if other, err := second.store.Lock(ctx, second.cfg, "b", "plan"); err != nil || other == "" || other == id {
		t.Fatalf("lock of a second state: got %q, %v, want a different ID and no error", other, err)
	}
	// The holder of the lock may write.
	first.write("a", content(1, 10))
	first.remove("a")
	_, err = second.store.Lock(ctx, second.cfg, "a", "plan")
	locked(t, err, id)
	if err := second.store.Unlock(ctx, second.cfg, "a", "not-"+id); err == nil {
		t.Fatal("unlock with the wrong ID: got no error, want one")
	}
	_, err = second.store.Lock(ctx, second.cfg, "a", "plan")
	locked(t, err, id)
	// Any client that has the ID can unlock, which is needed after a client has crashed.
	if err := second.store.Unlock(ctx, second.cfg, "a", id); err != nil {
		t.Fatalf("unlock: %v", err)
	}
	again, err := second.store.Lock(ctx, second.cfg, "a", "plan")
	if err != nil || again == id {
		t.Fatalf("lock after unlock: got %q, %v, want a new ID and no error", again, err)
	}
	if err := first.store.Unlock(ctx, first.cfg, "a", id); err == nil {
		t.Fatal("unlock with the ID of an earlier lock: got no error, want one")
	}
}

func testLockRace[Config any](t *testing.T, p place[Config]) {
	const clients = 20
	for round := range 5 {
		state := fmt.Sprint("state-", round)
		var winners atomic.Int32
		var running sync.WaitGroup
		start, cancel := context.WithCancel(t.Context())
		for range clients {
			c := p.client(t)
			running.Go(func() {
				<-start.Done()
				id, err := c.store.Lock(t.Context(), c.cfg, state, "apply")
				var held *runtime.LockedError
				switch {
				case err == nil && id != "":
					winners.Add(1)
				case !errors.As(err, &held):
					t.Errorf("lock: got %q, %v, want an ID or a runtime.LockedError", id, err)
				}
			})
		}
		cancel()
		running.Wait()
		if n := winners.Load(); n != 1 {
			t.Fatalf("%d of %d clients acquired the lock, want 1", n, clients)
		}
	}
}
