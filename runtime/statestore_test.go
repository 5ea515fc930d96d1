package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Shed is an in-memory state store with hooks for tests.
type Shed struct {
	Place string
	Key   string `tf:",optional,sensitive"`

	in *shed
}

type shed struct {
	states map[string][]byte
	locks  map[string]string
	opened []string
	chunk  func(proposed int64) int64

	// do is called in each method except ValidateInputs and ChunkSize; Unlock and Delete call it
	// only after a success. The method returns an error of do; after a warning, Read and Write go on.
	do     func(ctx context.Context, method string) error
	body   func(state []byte) io.ReadCloser
	size   func(length int64) int64
	write  func(state io.Reader, size int64) error
	listed []string
	lockID func(id string) string
}

func newShed() *shed {
	return &shed{
		states: map[string][]byte{}, locks: map[string]string{},
		chunk:  func(proposed int64) int64 { return proposed },
		do:     func(context.Context, string) error { return nil },
		body:   func(state []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(state)) },
		size:   func(length int64) int64 { return length },
		lockID: func(id string) string { return "lock of " + id },
	}
}

func (s *Shed) ValidateInputs(context.Context, runtime.NoConfig) error {
	switch s.Place {
	case "nowhere":
		return diag.AttributeErrorf("place", "there is no such place")
	case "old":
		return diag.AsWarning(diag.AttributeErrorf("place", "it is old"))
	}
	return nil
}

func (s *Shed) Open(ctx context.Context, _ runtime.NoConfig) error {
	s.in.opened = append(s.in.opened, s.Place)
	return s.in.do(ctx, "Open")
}

func (s *Shed) ChunkSize(proposed int64) int64 { return s.in.chunk(proposed) }

func (s *Shed) Read(ctx context.Context, _ runtime.NoConfig, id string) (io.ReadCloser, int64, error) {
	err := s.in.do(ctx, "Read")
	if isError(err) {
		return nil, 0, err
	}
	state, ok := s.in.states[id]
	if !ok {
		return nil, 0, fmt.Errorf("%s: %w", id, runtime.ErrNotFound)
	}
	return s.in.body(state), s.in.size(int64(len(state))), err
}

func (s *Shed) Write(ctx context.Context, _ runtime.NoConfig, id string, state io.Reader, size int64) error {
	err := s.in.do(ctx, "Write")
	if isError(err) {
		return err
	}
	if s.in.write != nil {
		return s.in.write(state, size)
	}
	all, readErr := io.ReadAll(state)
	if readErr != nil {
		return fmt.Errorf("receiving it: %w", readErr)
	}
	s.in.states[id] = all
	return err
}

func (s *Shed) Lock(ctx context.Context, _ runtime.NoConfig, id, operation string) (string, error) {
	if err := s.in.do(ctx, "Lock"); err != nil {
		return "", err
	}
	if held, ok := s.in.locks[id]; ok {
		return "", fmt.Errorf("locking: %w", &runtime.LockedError{ID: held, Who: "someone@somewhere", Operation: operation, Created: time.Unix(0, 0)})
	}
	s.in.locks[id] = s.in.lockID(id)
	return s.in.locks[id], nil
}

func (s *Shed) Unlock(ctx context.Context, _ runtime.NoConfig, id, lockID string) error {
	if s.in.locks[id] != lockID {
		return errors.New("it has another lock")
	}
	delete(s.in.locks, id)
	return s.in.do(ctx, "Unlock")
}

func (s *Shed) List(ctx context.Context, _ runtime.NoConfig) ([]string, error) {
	return s.in.listed, s.in.do(ctx, "List")
}

func (s *Shed) Delete(ctx context.Context, _ runtime.NoConfig, id string) error {
	if _, ok := s.in.states[id]; !ok {
		return runtime.ErrNotFound
	}
	delete(s.in.states, id)
	return s.in.do(ctx, "Delete")
}

func isError(err error) bool { return err != nil && diag.FromError("", err).HasErrors() }

const shedType = "test_shed"

// shedClient is a client of a provider with a shed.
type shedClient struct {
	t *testing.T
	p provider.Interface
}

func (s *shed) client(t *testing.T) shedClient {
	t.Helper()
	return shedClient{t, guard.Wrap(newProvider(t, runtime.Definition{Name: "test", StateStores: map[string]runtime.StateStoreRegistration{
		"shed": runtime.MakeStateStoreWith[Shed, runtime.NoConfig](func() *Shed { return &Shed{in: s} }),
	}}))}
}

func shedConfig(place cty.Value) cty.Value {
	return cty.ObjectVal(attrs{"place": place, "key": cty.NullVal(cty.String)})
}

func (c shedClient) configure(chunk int64) int64 {
	c.t.Helper()
	resp := c.p.ConfigureStateStore(c.t.Context(), provider.ConfigureStateStoreRequest{TypeName: shedType, Config: shedConfig(str("here")), ChunkSize: chunk})
	if resp.Diagnostics.HasErrors() {
		c.t.Fatal(resp.Diagnostics)
	}
	return resp.ChunkSize
}

// read returns the state under an ID, and the ranges of its chunks.
func (c shedClient) read(id string) (state []byte, ranges []string, diags diag.Diagnostics) {
	resp := c.p.ReadStateBytes(c.t.Context(), provider.ReadStateBytesRequest{TypeName: shedType, StateID: id})
	diags = resp.Diagnostics
	if resp.Chunks == nil {
		return nil, nil, diags
	}
	for chunk := range resp.Chunks {
		diags = append(diags, chunk.Diagnostics...)
		state = append(state, chunk.Bytes...)
		if len(chunk.Bytes) == 0 && len(state) > 0 && !chunk.Diagnostics.HasErrors() {
			c.t.Error("an empty chunk follows others; clients then report that the state is too short")
		}
		if len(chunk.Bytes) > 0 {
			ranges = append(ranges, fmt.Sprintf("%d-%d/%d", chunk.Start, chunk.End, chunk.TotalLength))
		}
	}
	return state, ranges, diags
}

func (c shedClient) write(id string, chunks ...provider.StateChunk) diag.Diagnostics {
	return c.p.WriteStateBytes(c.t.Context(), provider.WriteStateBytesRequest{TypeName: shedType, StateID: id, Chunks: slices.Values(chunks)}).Diagnostics
}

// piece returns the chunk of a state from byte start to byte end.
func piece(state string, start, end int) provider.StateChunk {
	return provider.StateChunk{Bytes: []byte(state[start : end+1]), TotalLength: int64(len(state)), Start: int64(start), End: int64(end)}
}

func TestChunkSizeIsNegotiated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		proposed, want int64
		chunk          func(int64) int64
		fails          bool
	}{
		{"as proposed", 4096, 4096, nil, false},
		{"nothing proposed", 0, 8 << 20, nil, false},
		{"negative size proposed", -1, 8 << 20, nil, false},
		{"too much proposed", 1 << 40, 128 << 20, nil, false},
		{"one byte", 1, 1, nil, false},
		{"chosen by the store", 4096, 100, func(proposed int64) int64 { return min(proposed, 100) }, false},
		{"zero chosen", 4096, 0, func(int64) int64 { return 0 }, true},
		{"more than the limit chosen", 4096, 0, func(int64) int64 { return 128<<20 + 1 }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShed()
			if tt.chunk != nil {
				s.chunk = tt.chunk
			}
			resp := s.client(t).p.ConfigureStateStore(t.Context(), provider.ConfigureStateStoreRequest{
				TypeName: shedType, Config: shedConfig(str("here")), ChunkSize: tt.proposed,
			})
			if resp.ChunkSize != tt.want || resp.Diagnostics.HasErrors() != tt.fails {
				t.Errorf("got %d and diagnostics %v, want %d and an error: %t", resp.ChunkSize, resp.Diagnostics, tt.want, tt.fails)
			}
			if tt.fails && !strings.Contains(resp.Diagnostics.Error(), "provider bug: the method ChunkSize") {
				t.Errorf("got %v, want an error about ChunkSize", resp.Diagnostics)
			}
		})
	}
}

func TestConfigureStateStore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config cty.Value
		open   error
		want   []string // substrings of the messages
		opened []string
		usable bool
	}{
		"valid":                      {shedConfig(str("here")), nil, nil, []string{"here"}, true},
		"warnings":                   {shedConfig(str("old")), diag.AsWarning(errors.New("slow")), []string{"place: ", "it is old", "slow"}, []string{"old"}, true},
		"rejected by ValidateInputs": {shedConfig(str("nowhere")), nil, []string{"place: Invalid value: there is no such place"}, nil, false},
		"unknown":                    {shedConfig(cty.UnknownVal(cty.String)), nil, []string{"place: ", "not known yet", "state store"}, nil, false},
		"missing":                    {cty.NullVal(shedConfig(str("")).Type()), nil, []string{"place: "}, nil, false},
		"error of Open":              {shedConfig(str("here")), errors.New("no way in"), []string{"Cannot configure test_shed: no way in"}, []string{"here"}, false},
		"panic of Open":              {shedConfig(str("here")), errPanic, []string{"The method Open of test_shed panicked"}, []string{"here"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShed()
			s.do = func(_ context.Context, method string) error {
				if errors.Is(tt.open, errPanic) {
					panic("with a secret")
				}
				if method == "Open" {
					return tt.open
				}
				return nil
			}
			c := s.client(t)
			resp := c.p.ConfigureStateStore(t.Context(), provider.ConfigureStateStoreRequest{TypeName: shedType, Config: tt.config})
			for _, want := range tt.want {
				if !strings.Contains(resp.Diagnostics.Error(), want) {
					t.Errorf("diagnostics do not contain %q: %v", want, resp.Diagnostics)
				}
			}
			if diff := cmp.Diff(tt.opened, s.opened); diff != "" {
				t.Errorf("values of place in calls of Open (-want +got):\n%s", diff)
			}
			s.do = func(context.Context, string) error { return nil }
			_, _, diags := c.read("a")
			if usable := !diags.HasErrors(); usable != tt.usable {
				t.Errorf("diagnostics of a read: %v, want a usable store: %t", diags, tt.usable)
			}
			if !tt.usable && !strings.Contains(diags.Error(), "is not configured") {
				t.Errorf("diagnostics of a read: %v, want an error that the store is not configured", diags)
			}
		})
	}
}

var errPanic = errors.New("panic")

func TestEveryCallNeedsAConfiguredStore(t *testing.T) {
	t.Parallel()
	for typeName, want := range map[string]string{"test_none": "This provider has no state store \"test_none\".", shedType: "is not configured"} {
		p := newShed().client(t).p
		ctx := t.Context()
		calls := map[string]diag.Diagnostics{
			"read":   p.ReadStateBytes(ctx, provider.ReadStateBytesRequest{TypeName: typeName, StateID: "a"}).Diagnostics,
			"write":  p.WriteStateBytes(ctx, provider.WriteStateBytesRequest{TypeName: typeName, StateID: "a"}).Diagnostics,
			"lock":   p.LockState(ctx, provider.LockStateRequest{TypeName: typeName, StateID: "a"}).Diagnostics,
			"unlock": p.UnlockState(ctx, provider.UnlockStateRequest{TypeName: typeName, StateID: "a", LockID: "b"}).Diagnostics,
			"list":   p.GetStates(ctx, provider.GetStatesRequest{TypeName: typeName}).Diagnostics,
			"delete": p.DeleteState(ctx, provider.DeleteStateRequest{TypeName: typeName, StateID: "a"}).Diagnostics,
		}
		if typeName != shedType {
			calls["validate"] = p.ValidateStateStoreConfig(ctx, provider.ValidateStateStoreConfigRequest{TypeName: typeName}).Diagnostics
			calls["configure"] = p.ConfigureStateStore(ctx, provider.ConfigureStateStoreRequest{TypeName: typeName}).Diagnostics
		}
		for call, diags := range calls {
			if len(diags) != 1 || !strings.Contains(diags.Error(), want) {
				t.Errorf("%s: got %v, want %q", call, diags, want)
			}
		}
	}
}

func TestValidateStateStoreConfig(t *testing.T) {
	t.Parallel()
	p := newShed().client(t).p
	for want, config := range map[string]cty.Value{
		"":      shedConfig(str("nowhere")), // ValidateInputs is called during ConfigureStateStore only
		"place": shedConfig(cty.NullVal(cty.String)),
	} {
		diags := p.ValidateStateStoreConfig(t.Context(), provider.ValidateStateStoreConfigRequest{TypeName: shedType, Config: config}).Diagnostics
		if (want == "") != (len(diags) == 0) || len(diags) > 0 && diag.FormatPath(diags[0].Path) != want {
			t.Errorf("got diagnostics %v, want one with the path %q, or none if the path is empty", diags, want)
		}
	}
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).StateStores[shedType].Body
	if a := schema.Attributes["key"]; !a.Optional || !a.Sensitive || a.Computed {
		t.Errorf("key is %#v, want it optional and sensitive, but not computed", a)
	}
}

// failing returns a stream of chunks that ends with an error.
func failing(chunks ...provider.StateChunk) iter.Seq[provider.StateChunk] {
	return func(yield func(provider.StateChunk) bool) {
		for _, c := range chunks {
			if !yield(c) {
				return
			}
		}
		yield(provider.StateChunk{Diagnostics: diag.Diagnostics{}.Errorf(nil, "Connection lost", "It is gone.")})
	}
}
