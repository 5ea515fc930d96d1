package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Keeper keeps states in memory; a real state store would use a service.
type Keeper struct {
	Name string

	states map[string][]byte
	lock   *runtime.LockedError
}

// Open connects to the keeper.
func (k *Keeper) Open(context.Context, runtime.NoConfig) error {
	k.states = map[string][]byte{}
	fmt.Println("connected to", k.Name)
	return nil
}

// ChunkSize returns the proposed size, but at most the 16 bytes that the service accepts.
func (*Keeper) ChunkSize(proposed int64) int64 { return min(proposed, 16) }

func (k *Keeper) Read(_ context.Context, _ runtime.NoConfig, id string) (io.ReadCloser, int64, error) {
	state, ok := k.states[id]
	if !ok {
		return nil, 0, runtime.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader(state)), int64(len(state)), nil
}

func (k *Keeper) Write(_ context.Context, _ runtime.NoConfig, id string, state io.Reader, _ int64) error {
	all, err := io.ReadAll(state)
	if err != nil {
		return err // the old state is kept
	}
	k.states[id] = all
	return nil
}

func (k *Keeper) Lock(_ context.Context, _ runtime.NoConfig, id, operation string) (string, error) {
	if k.lock != nil {
		return "", k.lock
	}
	k.lock = &runtime.LockedError{ID: "lock of " + id, Who: "me@here", Operation: operation}
	return k.lock.ID, nil
}

func (k *Keeper) Unlock(context.Context, runtime.NoConfig, string, string) error {
	k.lock = nil
	return nil
}

func (k *Keeper) List(context.Context, runtime.NoConfig) ([]string, error) {
	var ids []string
	for id := range k.states {
		ids = append(ids, id)
	}
	return ids, nil
}

func (k *Keeper) Delete(_ context.Context, _ runtime.NoConfig, id string) error {
	delete(k.states, id)
	return nil
}

const keeperType = "demo_keeper"

// keeper returns a provider with a configured store, and the response to its configuration.
func keeper(reg runtime.StateStoreRegistration) (provider.Interface, provider.ConfigureStateStoreResponse) {
	p, err := runtime.New(runtime.Definition{Name: "demo", StateStores: map[string]runtime.StateStoreRegistration{"keeper": reg}})
	if err != nil {
		panic(err)
	}
	return p, p.ConfigureStateStore(context.Background(), provider.ConfigureStateStoreRequest{
		TypeName: keeperType, Config: cty.ObjectVal(attrs{"name": str("states")}), ChunkSize: 8 << 20,
	})
}

func ExampleMakeStateStore() {
	p, _ := keeper(runtime.MakeStateStore[Keeper, runtime.NoConfig]())
	ctx := context.Background()
	written := p.WriteStateBytes(ctx, provider.WriteStateBytesRequest{TypeName: keeperType, StateID: "default", Chunks: slices.Values([]provider.StateChunk{
		piece("what an engine remembers", 0, 15), piece("what an engine remembers", 16, 23),
	})})
	fmt.Println(len(written.Diagnostics), "messages")
	read := p.ReadStateBytes(ctx, provider.ReadStateBytesRequest{TypeName: keeperType, StateID: "default"})
	for chunk := range read.Chunks {
		fmt.Printf("%d to %d of %d: %s\n", chunk.Start, chunk.End, chunk.TotalLength, chunk.Bytes)
	}
	// Output:
	// connected to states
	// 0 messages
	// 0 to 15 of 24: what an engine r
	// 16 to 23 of 24: emembers
}

func ExampleMakeStateStoreWith() {
	shared := &runtime.LockedError{ID: "1234", Who: "someone@somewhere", Operation: "apply"}
	p, _ := keeper(runtime.MakeStateStoreWith[Keeper, runtime.NoConfig](func() *Keeper { return &Keeper{lock: shared} }))
	printed(p.LockState(context.Background(), provider.LockStateRequest{TypeName: keeperType, StateID: "default", Operation: "plan"}).Diagnostics)
	// Output:
	// connected to states
	// Another operation holds the lock: the state is locked by someone@somewhere for "apply"; the ID of the lock is "1234". Try again when it has finished. If it has ended without unlocking, unlock the state with the command force-unlock and this ID.
}

func ExampleStateStoreOpener() {
	keeper(runtime.MakeStateStore[Keeper, runtime.NoConfig]())
	// Output:
	// connected to states
}

func ExampleChunkSizer() {
	_, agreed := keeper(runtime.MakeStateStore[Keeper, runtime.NoConfig]())
	fmt.Println("chunks of", agreed.ChunkSize, "bytes")
	// Output:
	// connected to states
	// chunks of 16 bytes
}
