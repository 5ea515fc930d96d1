package storetest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/runtime/storetest"
)

// Directory is a state store with a file for each state and each lock.
type Directory struct {
	Path string
}

const (
	stateSuffix = ".state"
	lockSuffix  = ".lock"
)

// file returns the path of a file for a state. Its name is in hexadecimal, so that no ID
// can lead out of the directory.
func (f *Directory) file(id, suffix string) string {
	return filepath.Join(f.Path, hex.EncodeToString([]byte(id))+suffix)
}

func (f *Directory) Read(_ context.Context, _ runtime.NoConfig, id string) (io.ReadCloser, int64, error) {
	file, err := os.Open(f.file(id, stateSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, runtime.ErrNotFound
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

func (f *Directory) Write(_ context.Context, _ runtime.NoConfig, id string, state io.Reader, _ int64) error {
	file, err := os.CreateTemp(f.Path, "new-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(file, state)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), f.file(id, stateSuffix))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func (f *Directory) Lock(_ context.Context, _ runtime.NoConfig, id, operation string) (string, error) {
	lock := runtime.LockedError{ID: rand.Text(), Who: "me", Operation: operation, Created: time.Now()}
	content, err := json.Marshal(lock)
	if err != nil {
		return "", err
	}
	// The creation of a hard link is atomic, so no client reads a partial lock.
	prepared := filepath.Join(f.Path, "lock-"+lock.ID)
	if err := os.WriteFile(prepared, content, 0o600); err != nil {
		return "", err
	}
	err = os.Link(prepared, f.file(id, lockSuffix))
	if removed := os.Remove(prepared); removed != nil {
		return "", removed
	}
	if errors.Is(err, fs.ErrExist) {
		held, err := f.lock(id)
		if err != nil {
			return "", err
		}
		return "", held
	}
	return lock.ID, err
}

func (f *Directory) lock(id string) (*runtime.LockedError, error) {
	content, err := os.ReadFile(f.file(id, lockSuffix))
	if err != nil {
		return nil, err
	}
	held := new(runtime.LockedError)
	return held, json.Unmarshal(content, held)
}

func (f *Directory) Unlock(_ context.Context, _ runtime.NoConfig, id, lockID string) error {
	held, err := f.lock(id)
	if err != nil {
		return err
	}
	if held.ID != lockID {
		return held
	}
	return os.Remove(f.file(id, lockSuffix))
}

func (f *Directory) List(context.Context, runtime.NoConfig) ([]string, error) {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), stateSuffix); ok {
			id, err := hex.DecodeString(name)
			if err != nil {
				return nil, err
			}
			ids = append(ids, string(id))
		}
	}
	return ids, nil
}

func (f *Directory) Delete(_ context.Context, _ runtime.NoConfig, id string) error {
	err := os.Remove(f.file(id, stateSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, runtime.NoConfig{}, func(t *testing.T) func() runtime.TypedStateStore[runtime.NoConfig] {
		dir := t.TempDir()
		return func() runtime.TypedStateStore[runtime.NoConfig] { return &Directory{Path: dir} }
	})
}

// TestAnyStateInAnyChunks checks that a written state is read back unchanged, whatever
// its content, length and chunk sizes, and that a stream that breaks changes nothing.
func TestAnyStateInAnyChunks(t *testing.T) {
	t.Parallel()
	p, err := runtime.New(runtime.Definition{Name: "test", StateStores: map[string]runtime.StateStoreRegistration{
		"directory": runtime.MakeStateStore[Directory, runtime.NoConfig](),
	}})
	if err != nil {
		t.Fatal(err)
	}
	p = guard.Wrap(p)
	const typeName = "test_directory"
	config := cty.ObjectVal(map[string]cty.Value{"path": cty.StringVal(t.TempDir())})
	seed := mathrand.Uint64()
	t.Logf("seed %d", seed)
	r := mathrand.New(mathrand.NewPCG(seed, 1))
	current := map[string][]byte{}
	for i := range 300 {
		chunk := 1 + r.Int64N(200)
		resp := p.ConfigureStateStore(t.Context(), provider.ConfigureStateStoreRequest{TypeName: typeName, Config: config, ChunkSize: chunk})
		if resp.Diagnostics.HasErrors() || resp.ChunkSize != chunk {
			t.Fatalf("round %d: ConfigureStateStore: got %+v, want the chunk size %d and no errors", i, resp, chunk)
		}
		id := fmt.Sprint("state ", r.IntN(5))
		state := make([]byte, 1+r.IntN(1000))
		for i := range state {
			state[i] = byte(r.Uint32())
		}
		chunks := split(state, 1+r.IntN(len(state)+10))
		breaks := r.IntN(4) == 0
		if breaks {
			chunks = chunks[:r.IntN(len(chunks))]
		}
		diags := p.WriteStateBytes(t.Context(), provider.WriteStateBytesRequest{TypeName: typeName, StateID: id, Chunks: slices.Values(chunks)}).Diagnostics
		if diags.HasErrors() != breaks {
			t.Fatalf("round %d: WriteStateBytes: %v, want an error: %t", i, diags, breaks)
		}
		if !breaks {
			current[id] = state
		}
		var got []byte
		for chunk := range p.ReadStateBytes(t.Context(), provider.ReadStateBytesRequest{TypeName: typeName, StateID: id}).Chunks {
			if len(chunk.Diagnostics) > 0 { // guard checks order, ranges and lengths
				t.Fatalf("round %d: %v", i, chunk.Diagnostics)
			}
			got = append(got, chunk.Bytes...)
		}
		if !bytes.Equal(got, current[id]) {
			t.Fatalf("round %d: the %d bytes read differ from the %d written", i, len(got), len(current[id]))
		}
	}
}

// split returns a state in chunks of the given size; the last chunk may be smaller.
func split(state []byte, size int) []provider.StateChunk {
	var chunks []provider.StateChunk
	start := int64(0)
	for b := range slices.Chunk(state, size) {
		end := start + int64(len(b)) - 1
		chunks = append(chunks, provider.StateChunk{Bytes: b, TotalLength: int64(len(state)), Start: start, End: end})
		start = end + 1
	}
	return chunks
}
