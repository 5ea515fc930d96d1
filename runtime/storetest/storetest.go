package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Run tests a state store in parallel subtests of t. Fresh is called for each subtest: it creates
// empty storage and returns a function that returns a new, configured store for the storage.
func Run[Config any](t *testing.T, cfg Config, fresh func(t *testing.T) func() runtime.TypedStateStore[Config]) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(t *testing.T, p place[Config])
	}{
		{"empty storage", testEmpty[Config]},
		{"write and read", testRoundTrip[Config]},
		{"readers that return few bytes", testReaders[Config]},
		{"similar ids", testIDs[Config]},
		{"hostile ids", testHostileIDs[Config]},
		{"incomplete write", testIncomplete[Config]},
		{"read during a write", testReadDuringWrite[Config]},
		{"concurrent writes", testConcurrent[Config]},
		{"delete", testDelete[Config]},
		{"lock", testLock[Config]},
		{"concurrent locks", testLockRace[Config]},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, place[Config]{cfg: cfg, open: fresh(t)})
		})
	}
}

// place is the storage of one test.
type place[Config any] struct {
	cfg  Config
	open func() runtime.TypedStateStore[Config]
}

// client stands for a process that uses the storage.
type client[Config any] struct {
	t     *testing.T
	store runtime.TypedStateStore[Config]
	cfg   Config
}

func (p place[Config]) client(t *testing.T) client[Config] {
	t.Helper()
	return client[Config]{t, p.open(), p.cfg}
}

// content returns a state of the given size. States with different seeds differ.
func content(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(size))) // the same for each call
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func (c client[Config]) write(id string, state []byte) {
	c.t.Helper()
	if err := c.store.Write(c.t.Context(), c.cfg, id, bytes.NewReader(state), int64(len(state))); err != nil {
		c.t.Fatalf("write %q: %v", id, err)
	}
}

// load returns the state under an ID. It returns an error if Read fails or returns a different size.
func (c client[Config]) load(ctx context.Context, id string) ([]byte, error) {
	body, size, err := c.store.Read(ctx, c.cfg, id)
	if err != nil {
		return nil, err
	}
	state, err := io.ReadAll(body)
	if size >= 0 && err == nil && size != int64(len(state)) {
		err = fmt.Errorf("the method Read returned the size %d, but the state has %d bytes", size, len(state))
	}
	return state, errors.Join(err, body.Close())
}

// has fails the test unless the state under an ID is want.
func (c client[Config]) has(id string, want []byte) {
	c.t.Helper()
	got, err := c.load(c.t.Context(), id)
	switch {
	case err != nil:
		c.t.Fatalf("read %q: %v", id, err)
	case !bytes.Equal(got, want):
		c.t.Fatalf("read %q: got %d bytes that differ from the %d bytes written", id, len(got), len(want))
	}
}

// absent fails the test unless Read returns [runtime.ErrNotFound].
func (c client[Config]) absent(id string) {
	c.t.Helper()
	if _, err := c.load(c.t.Context(), id); !errors.Is(err, runtime.ErrNotFound) {
		c.t.Fatalf("read of the absent state %q: got the error %v, want runtime.ErrNotFound", id, err)
	}
}

// lists fails the test unless List returns exactly these IDs.
func (c client[Config]) lists(want ...string) {
	c.t.Helper()
	got, err := c.store.List(c.t.Context(), c.cfg)
	if err != nil {
		c.t.Fatalf("list: %v", err)
	}
	got = slices.Sorted(slices.Values(got))
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		c.t.Fatalf("list: got %q, want %q", got, want)
	}
}

func (c client[Config]) remove(id string) {
	c.t.Helper()
	if err := c.store.Delete(c.t.Context(), c.cfg, id); err != nil && !errors.Is(err, runtime.ErrNotFound) {
		c.t.Fatalf("delete %q: %v", id, err)
	}
}

func testEmpty[Config any](t *testing.T, p place[Config]) {
	c := p.client(t)
	c.lists()
	c.absent("default")
	c.remove("default")
	c.lists()
}

func testRoundTrip[Config any](t *testing.T, p place[Config]) {
	writer, reader := p.client(t), p.client(t)
	for i, size := range []int{1, 4095, 4096, 4097, 1 << 20, 3} { // the last state is shorter than the state that it replaces
		state := content(uint64(i), size)
		writer.write("default", state)
		reader.has("default", state)
		writer.has("default", state)
		reader.lists("default")
	}
}

func testReaders[Config any](t *testing.T, p place[Config]) {
	c := p.client(t)
	state := content(1, 10_000)
	for name, of := range map[string]func(io.Reader) io.Reader{
		"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "end with data": iotest.DataErrReader,
	} {
		err := c.store.Write(t.Context(), c.cfg, "default", of(bytes.NewReader(state)), int64(len(state)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c.has("default", state)
		c.remove("default")
	}
}

func testIDs[Config any](t *testing.T, p place[Config]) {
	c := p.client(t)
	ids := []string{"default", "Default", "default.1", "default-1", "default_1", "default~", "a b", "über", "$&+:=@", "x.tfstate", "x.lock"}
	for i, id := range ids {
		c.write(id, content(uint64(i), 100+i))
	}
	c = p.client(t)
	c.lists(ids...)
	for i, id := range ids {
		c.has(id, content(uint64(i), 100+i))
	}
}

// testHostileIDs checks that an ID that a store cannot keep is rejected and never
// refers to a different state.
func testHostileIDs[Config any](t *testing.T, p place[Config]) {
	c := p.client(t)
	c.write("default", content(1, 100))
	kept := []string{"default"}
	for i, id := range []string{".", "..", "../default", "default/../default", "/default", "a/b", "default\x00"} {
		state := content(uint64(i), 50+i)
		if err := c.store.Write(t.Context(), c.cfg, id, bytes.NewReader(state), int64(len(state))); err != nil {
			continue
		}
		kept = append(kept, id)
		c.has(id, state)
	}
	c.has("default", content(1, 100))
	c.lists(kept...)
}

var errBroken = fmt.Errorf("the client stopped: %w", io.ErrUnexpectedEOF)

func testIncomplete[Config any](t *testing.T, p place[Config]) {
	c := p.client(t)
	old, state := content(1, 5000), content(2, 100_000)
	for _, before := range []bool{false, true} {
		for _, come := range []int{0, 1, 4096, len(state) - 1, len(state)} {
			broken := io.MultiReader(bytes.NewReader(state[:come]), iotest.ErrReader(errBroken))
			if err := c.store.Write(t.Context(), c.cfg, "default", broken, int64(len(state))); !errors.Is(err, errBroken) {
				t.Fatalf("write of %d of %d bytes: got the error %v, want the error of the reader", come, len(state), err)
			}
			if !before {
				p.client(t).absent("default")
				p.client(t).lists()
				continue
			}
			p.client(t).has("default", old)
			p.client(t).lists("default")
		}
		c.write("default", old)
	}
}
