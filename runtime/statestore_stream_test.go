package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestReadStateInChunks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state string
		chunk int64
		size  func(int64) int64
		body  func([]byte) io.ReadCloser
		want  []string
	}{
		"one chunk":          {"abc", 8, nil, nil, []string{"0-2/3"}},
		"one full chunk":     {"abcd", 4, nil, nil, []string{"0-3/4"}},
		"two chunks":         {"abcde", 4, nil, nil, []string{"0-3/5", "4-4/5"}},
		"two full chunks":    {"abcdefgh", 4, nil, nil, []string{"0-3/8", "4-7/8"}},
		"chunks of one byte": {"abc", 1, nil, nil, []string{"0-0/3", "1-1/3", "2-2/3"}},
		"no bytes":           {"", 4, nil, nil, nil},
		"an unknown size":    {"abcde", 4, func(int64) int64 { return -1 }, nil, []string{"0-3/5", "4-4/5"}},
		"short reads":        {"abcde", 4, nil, func(b []byte) io.ReadCloser { return io.NopCloser(iotest.OneByteReader(bytes.NewReader(b))) }, []string{"0-3/5", "4-4/5"}},
		"end with data":      {"abcde", 4, nil, func(b []byte) io.ReadCloser { return io.NopCloser(iotest.DataErrReader(bytes.NewReader(b))) }, []string{"0-3/5", "4-4/5"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShed()
			s.states["a"] = []byte(tt.state)
			if tt.size != nil {
				s.size = tt.size
			}
			if tt.body != nil {
				s.body = tt.body
			}
			c := s.client(t)
			c.configure(tt.chunk)
			got, ranges, diags := c.read("a")
			if string(got) != tt.state || len(diags) > 0 {
				t.Errorf("got the state %q and diagnostics %v, want %q and none", got, diags, tt.state)
			}
			if diff := cmp.Diff(tt.want, ranges); diff != "" {
				t.Errorf("ranges (-want +got):\n%s", diff)
			}
		})
	}
}

// closer counts the calls of Close.
type closer struct {
	io.Reader
	closed *int
	err    error
}

func (c closer) Close() error { *c.closed++; return c.err }

func TestReadStateErrors(t *testing.T) {
	t.Parallel()
	const state = "abcdefgh"
	for name, tt := range map[string]struct {
		body  func(io.Reader) io.Reader
		size  int64
		close error
		do    error
		want  string
		bytes int
	}{
		"shorter than its size":        {nil, 12, nil, nil, "Cannot read the state in test_shed: the state ended after 8 of 12 bytes: unexpected EOF", 8},
		"much shorter than its size":   {nil, 100, nil, nil, "ended after 8 of 100 bytes", 8},
		"longer than its size":         {nil, 7, nil, nil, "size 7 bytes, but the state is longer", 4},
		"longer than a size of zero":   {nil, 0, nil, nil, "size 0 bytes, but the state is longer", 0},
		"read error":                   {func(r io.Reader) io.Reader { return iotest.TimeoutReader(iotest.HalfReader(r)) }, 8, nil, nil, "timeout", 0},
		"read error with unknown size": {iotest.TimeoutReader, -1, nil, nil, "timeout", 0},
		"panic":                        {func(io.Reader) io.Reader { return nil }, 8, nil, nil, "runtime error: invalid memory address", 0},
		"close error":                  {nil, 8, errors.New("stuck"), nil, "Cannot close the state after reading it: stuck", 8},
		"warning":                      {nil, 8, nil, diag.AsWarning(errors.New("old")), "old", 8},
		"error of Read":                {nil, 8, nil, errors.New("no connection"), "Cannot read the state in test_shed: no connection", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := 0
			s := newShed()
			s.states["a"] = []byte(state)
			s.size = func(int64) int64 { return tt.size }
			s.body = func(state []byte) io.ReadCloser {
				r := io.Reader(bytes.NewReader(state))
				if tt.body != nil {
					r = tt.body(r)
				}
				return closer{r, &closed, tt.close}
			}
			c := s.client(t)
			c.configure(4)
			s.do = func(context.Context, string) error { return tt.do }
			got, _, diags := c.read("a")
			if len(diags) != 1 || !strings.Contains(diags.Error(), tt.want) {
				t.Errorf("got %v, want %q", diags, tt.want)
			}
			if warns := tt.bytes == len(state); len(diags) > 0 && tt.size == int64(len(state)) && warns == diags.HasErrors() {
				t.Errorf("%v has the severity %v, want a warning: %t", diags, diags[0].Severity, warns)
			}
			if len(got) != tt.bytes {
				t.Errorf("got %d bytes, want %d", len(got), tt.bytes)
			}
			if want := 1; closed != want && !isError(tt.do) {
				t.Errorf("the state was closed %d times, want once", closed)
			}
		})
	}
}

// TestReadStateInPart checks that a client that stops reading leaves nothing open, and
// that the log records the end.
func TestReadStateInPart(t *testing.T) {
	t.Setenv("TF_LOG", "debug")
	closed := 0
	s := newShed()
	s.states["a"] = []byte(theSecret)
	s.body = func(state []byte) io.ReadCloser { return closer{bytes.NewReader(state), &closed, nil} }
	c := s.client(t)
	c.configure(4)
	var log bytes.Buffer
	resp := c.p.ReadStateBytes(tflogtest.RootLogger(t.Context(), &log), provider.ReadStateBytesRequest{TypeName: shedType, StateID: "a"})
	for range 2 { // the stream can be read again
		for range resp.Chunks {
			break
		}
	}
	if closed != 2 {
		t.Errorf("the state was closed %d times, want 2", closed)
	}
	if n := strings.Count(log.String(), "operation ends"); n != 2 || strings.Contains(log.String(), theSecret[:4]) {
		t.Errorf("the log is %s, want 2 ends of operations and no value", log.String())
	}
}

func TestWriteState(t *testing.T) {
	t.Parallel()
	const state = "abcdefghij"
	changed := piece(state, 4, 7)
	changed.TotalLength = 11
	longer := piece(state, 8, 9)
	longer.Bytes, longer.End = []byte("ijk"), 10
	mislabelled := piece(state, 4, 7)
	mislabelled.End = 8
	for name, tt := range map[string]struct {
		chunks []provider.StateChunk
		write  func(state io.Reader, size int64) error
		want   string // substring of the messages; empty for none
		bug    bool   // the method Write returns no error, but the call fails
	}{
		"one chunk":                {[]provider.StateChunk{piece(state, 0, 9)}, nil, "", false},
		"three chunks":             {[]provider.StateChunk{piece(state, 0, 3), piece(state, 4, 7), piece(state, 8, 9)}, nil, "", false},
		"no chunks":                {nil, nil, "the state to write is empty", false},
		"empty chunk":              {[]provider.StateChunk{{}}, nil, "the state to write is empty", false},
		"negative length":          {[]provider.StateChunk{{TotalLength: -1, Bytes: []byte("a")}}, nil, "the state to write is empty", false},
		"missing chunk at the end": {[]provider.StateChunk{piece(state, 0, 3), piece(state, 4, 7)}, nil, "receiving it: the state to write ended after 8 of 10 bytes: unexpected EOF", false},
		"a gap":                    {[]provider.StateChunk{piece(state, 0, 3), piece(state, 8, 9)}, nil, "a chunk of the state has 2 bytes and the range from 8 to 9, but the next byte must be 4", false},
		"out of order":             {[]provider.StateChunk{piece(state, 4, 7), piece(state, 0, 3), piece(state, 8, 9)}, nil, "but the next byte must be 0", false},
		"repeated chunk":           {[]provider.StateChunk{piece(state, 0, 3), piece(state, 0, 3)}, nil, "but the next byte must be 4", false},
		"different total length":   {[]provider.StateChunk{piece(state, 0, 3), changed}, nil, "has a total length of 11 bytes, but an earlier chunk has 10", false},
		"wrong range":              {[]provider.StateChunk{piece(state, 0, 3), mislabelled}, nil, "and the range from 4 to 8", false},
		"too long":                 {[]provider.StateChunk{piece(state, 0, 7), longer}, nil, "more bytes than its total length of 10", false},
		"chunk after the end":      {[]provider.StateChunk{piece(state, 0, 9), piece(state, 0, 3)}, nil, "but the next byte must be 10", false},
		"empty chunk in between":   {[]provider.StateChunk{piece(state, 0, 3), {TotalLength: 10, Start: 4, End: 3}}, nil, "the chunk of the state after the first 4 bytes is empty", false},
		"store reads size bytes":   {[]provider.StateChunk{piece(state, 0, 3), piece(state, 4, 9)}, readSize, "", false},
		"store reads size bytes of a longer state": {[]provider.StateChunk{piece(state, 0, 9), piece(state, 9, 9)}, readSize, "Cannot write the state in test_shed: a chunk of the state has 1 byte and the range from 9 to 9", true},
		"store reads a part":                       {[]provider.StateChunk{piece(state, 0, 3), piece(state, 4, 9)}, func(r io.Reader, _ int64) error { _, err := io.CopyN(io.Discard, r, 3); return err }, "before it had read the whole state (3 of 10 bytes)", true},
		"store reads nothing":                      {[]provider.StateChunk{piece(state, 0, 3), piece(state, 4, 9)}, func(io.Reader, int64) error { return nil }, "(0 of 10 bytes)", true},
		"store ignores the error of the reader":    {[]provider.StateChunk{piece(state, 0, 3)}, func(r io.Reader, _ int64) error { _, _ = io.ReadAll(r); return nil }, "the state is incomplete or invalid, but the method Write returned no error", true},
		"store returns its own error":              {[]provider.StateChunk{piece(state, 0, 3)}, func(io.Reader, int64) error { return errors.New("full") }, "Cannot write the state in test_shed: full", false},
		"store panics":                             {[]provider.StateChunk{piece(state, 0, 3)}, func(io.Reader, int64) error { panic("no") }, "The method Write of test_shed panicked", false},
		"only a warning": {[]provider.StateChunk{piece(state, 0, 9)}, func(r io.Reader, size int64) error {
			return errors.Join(readSize(r, size), diag.AsWarning(errors.New("nearly full")))
		}, "nearly full", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShed()
			s.states["a"] = []byte("old")
			s.write = tt.write
			c := s.client(t)
			c.configure(4)
			diags := c.write("a", tt.chunks...)
			if tt.want == "" && len(diags) > 0 || !strings.Contains(diags.Error(), tt.want) {
				t.Errorf("got %v, want %q", diags, tt.want)
			}
			if got := len(diags); got > 1 && !tt.bug { // guard adds its own error to a store's bug
				t.Errorf("got %d diagnostics, want at most 1: %v", got, diags)
			}
			want := "old"
			if tt.want == "" && tt.write == nil {
				want = state
			}
			if got := string(s.states["a"]); got != want {
				t.Errorf("the store has %q, want %q", got, want)
			}
		})
	}
}

func readSize(r io.Reader, size int64) error {
	_, err := io.ReadFull(r, make([]byte, size))
	return err
}

// TestWriteOfABrokenStream checks that an error of the client's stream fails the write,
// before or while the store reads, and that the store keeps the old state.
func TestWriteOfABrokenStream(t *testing.T) {
	t.Parallel()
	for name, chunks := range map[string][]provider.StateChunk{"at once": nil, "later": {piece("abcdef", 0, 3)}} {
		s := newShed()
		s.states["a"] = []byte("old")
		c := s.client(t)
		c.configure(4)
		diags := c.p.WriteStateBytes(t.Context(), provider.WriteStateBytesRequest{TypeName: shedType, StateID: "a", Chunks: failing(chunks...)}).Diagnostics
		if !strings.Contains(diags.Error(), "Connection lost: It is gone.") || string(s.states["a"]) != "old" {
			t.Errorf("%s: got diagnostics %v and the stored state %q, want the lost connection and old", name, diags, s.states["a"])
		}
	}
}

// TestReaderEndsWithWrite checks that a reader that is used after Write reads nothing
// more, and returns an error other than io.EOF.
func TestReaderEndsWithWrite(t *testing.T) {
	t.Parallel()
	s := newShed()
	var kept io.Reader
	s.write = func(r io.Reader, size int64) error { kept = r; return readSize(r, size) }
	c := s.client(t)
	c.configure(4)
	if diags := c.write("a", piece("abcd", 0, 3)); diags.HasErrors() {
		t.Fatal(diags)
	}
	if n, err := kept.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, io.EOF) {
		t.Errorf("read after Write: got %d bytes and the error %v, want 0 and an error other than io.EOF", n, err)
	}
}

func TestLockState(t *testing.T) {
	t.Parallel()
	s := newShed()
	c := s.client(t)
	c.configure(0)
	lock := func(id, operation string) provider.LockStateResponse {
		return c.p.LockState(t.Context(), provider.LockStateRequest{TypeName: shedType, StateID: id, Operation: operation})
	}
	unlock := func(id, lockID string) diag.Diagnostics {
		return c.p.UnlockState(t.Context(), provider.UnlockStateRequest{TypeName: shedType, StateID: id, LockID: lockID}).Diagnostics
	}
	first := lock("a", "apply")
	if first.LockID != "lock of a" || len(first.Diagnostics) > 0 {
		t.Fatalf("got %v, want the lock ID %q and no diagnostics", first, "lock of a")
	}
	second := lock("a", "plan")
	if second.LockID != "" || len(second.Diagnostics) != 1 || second.Diagnostics[0].Summary != "The state is locked" {
		t.Fatalf("got %v, want no lock ID and one error, %q", second, "The state is locked")
	}
	for _, word := range []string{"by someone@somewhere", `for "plan"`, "since 1970-01-01T00:00:00Z", `"lock of a"`, "force-unlock"} {
		if !strings.Contains(second.Diagnostics[0].Detail, word) {
			t.Errorf("the detail does not contain %q: %s", word, second.Diagnostics[0].Detail)
		}
	}
	for want, diags := range map[string]diag.Diagnostics{
		"it has another lock":               unlock("a", "mine"),
		"no lock ID":                        unlock("a", ""),
		"no valid state ID":                 unlock("", "lock of a"),
		"the request has no valid state ID": lock("", "apply").Diagnostics,
	} {
		if len(diags) != 1 || !strings.Contains(diags.Error(), want) {
			t.Errorf("got %v, want %q", diags, want)
		}
	}
	if diags := unlock("a", "lock of a"); len(diags) > 0 {
		t.Errorf("unlock: got %v, want no diagnostics", diags)
	}
	s.lockID = func(string) string { return "" }
	if resp := lock("a", "apply"); len(resp.Diagnostics) != 1 || !strings.Contains(resp.Diagnostics.Error(), "provider bug: the method Lock returned neither the ID") {
		t.Errorf("got %v, want one error about the missing lock ID", resp)
	}
	if got := (&runtime.LockedError{ID: "x"}).Error(); got != `the state is locked; the ID of the lock is "x"` {
		t.Errorf("got %q, want a text with only the ID", got)
	}
}

func TestListAndDeleteStates(t *testing.T) {
	t.Parallel()
	s := newShed()
	s.states["a"] = []byte("a")
	c := s.client(t)
	c.configure(0)
	for _, tt := range []struct {
		listed, want []string
		wantErr      string
	}{
		{nil, nil, ""},
		{[]string{"b", "a"}, []string{"a", "b"}, ""},
		{[]string{"b", "a", "b"}, nil, "provider bug: the method List"},
		{[]string{"b", ""}, nil, "provider bug: the method List"},
	} {
		s.listed = slices.Clone(tt.listed)
		resp := c.p.GetStates(t.Context(), provider.GetStatesRequest{TypeName: shedType})
		if diff := cmp.Diff(tt.want, resp.StateIDs); diff != "" || !strings.Contains(resp.Diagnostics.Error(), tt.wantErr) || tt.wantErr == "" && len(resp.Diagnostics) > 0 {
			t.Errorf("%v: diagnostics %v, want %q; IDs (-want +got):\n%s", tt.listed, resp.Diagnostics, tt.wantErr, diff)
		}
		if diff := cmp.Diff(tt.listed, s.listed); diff != "" {
			t.Errorf("the list of the store was modified:\n%s", diff)
		}
	}
	for _, id := range []string{"a", "a", "b", ""} {
		diags := c.p.DeleteState(t.Context(), provider.DeleteStateRequest{TypeName: shedType, StateID: id}).Diagnostics
		if (id == "") != diags.HasErrors() || len(s.states) > 0 {
			t.Errorf("DeleteState(%q) = %v, want error %t; left %d states, want 0", id, diags, id == "", len(s.states))
		}
	}
	if _, _, diags := c.read(""); !strings.Contains(diags.Error(), "no valid state ID") {
		t.Errorf("read without an ID: got %v, want an error about the state ID", diags)
	}
	if diags := c.write("", piece("a", 0, 0)); !strings.Contains(diags.Error(), "no valid state ID") {
		t.Errorf("write without an ID: got %v, want an error about the state ID", diags)
	}
}

// TestStopOfStateStores checks that Stop cancels Read, Lock, List and Delete, but not Write and
// Unlock, which a stopped run still needs.
func TestStopOfStateStores(t *testing.T) {
	t.Parallel()
	s := newShed()
	s.states["a"], s.locks["a"] = []byte("a"), "x"
	c := s.client(t)
	c.configure(0)
	stopped := map[string]bool{}
	s.do = func(ctx context.Context, method string) error {
		go func() { _ = c.p.Stop(context.Background()) }()
		limit := time.Minute
		if method == "Write" || method == "Unlock" {
			limit = 20 * time.Millisecond
		}
		select {
		case <-ctx.Done():
			stopped[method] = true
		case <-time.After(limit):
		}
		return nil
	}
	ctx := t.Context()
	_, _, _ = c.read("a")
	c.write("a", piece("b", 0, 0))
	c.p.LockState(ctx, provider.LockStateRequest{TypeName: shedType, StateID: "b"})
	c.p.UnlockState(ctx, provider.UnlockStateRequest{TypeName: shedType, StateID: "a", LockID: "x"})
	c.p.GetStates(ctx, provider.GetStatesRequest{TypeName: shedType})
	c.p.DeleteState(ctx, provider.DeleteStateRequest{TypeName: shedType, StateID: "a"})
	if diff := cmp.Diff(map[string]bool{"Read": true, "Lock": true, "List": true, "Delete": true}, stopped); diff != "" {
		t.Errorf("canceled methods (-want +got):\n%s", diff)
	}
}

// Each type below has one mistake.
type (
	nearOpen struct {
		Shed `tf:"-"`
		A    *string
	}
	nearChunk struct {
		Shed `tf:"-"`
		A    *string
	}
	secretStore struct {
		Shed `tf:"-"`
		A    *string `tf:",writeonly"`
	}
	providerStore struct {
		Shed     `tf:"-"`
		Provider *string
	}
	nearStoreInputs struct {
		Shed `tf:"-"`
		A    *string
	}
)

func (*nearOpen) Open(runtime.NoConfig) error                     { return nil }
func (*nearChunk) ChunkSize() int64                               { return 0 }
func (*nearStoreInputs) ValidateInputs(ctx context.Context) error { return ctx.Err() }

func TestInvalidStateStores(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reg  runtime.StateStoreRegistration
		want []string
	}{
		"near miss Open":           {runtime.MakeStateStore[nearOpen, runtime.NoConfig](), []string{"Open", "func(runtime.NoConfig) error", "func(context.Context, runtime.NoConfig) error"}},
		"near miss ChunkSize":      {runtime.MakeStateStore[nearChunk, runtime.NoConfig](), []string{"ChunkSize", "func() int64", "func(int64) int64"}},
		"near miss ValidateInputs": {runtime.MakeStateStore[nearStoreInputs, runtime.NoConfig](), []string{"ValidateInputs", "func(context.Context) error"}},
		"writeonly":                {runtime.MakeStateStore[secretStore, runtime.NoConfig](), []string{"secretStore.A", "writeonly"}},
		"reserved name":            {runtime.MakeStateStore[providerStore, runtime.NoConfig](), []string{"providerStore.Provider", "reserved"}},
		"empty registration":       {runtime.StateStoreRegistration{}, []string{"MakeResource, MakeDataSource and so on"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runtime.New(runtime.Definition{Name: "test", StateStores: map[string]runtime.StateStoreRegistration{"x": tt.reg}})
			if err == nil {
				t.Fatalf("New: got no error, want one with %q", tt.want)
			}
			for _, word := range append(tt.want, "test_x") {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not contain %q: %v", word, err)
				}
			}
		})
	}
}

func BenchmarkStateBytes(b *testing.B) {
	for _, size := range []int{4 << 10, 16 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := newShed()
			p, err := runtime.New(runtime.Definition{Name: "test", StateStores: map[string]runtime.StateStoreRegistration{
				"shed": runtime.MakeStateStoreWith[Shed, runtime.NoConfig](func() *Shed { return &Shed{in: s} }),
			}})
			if err != nil {
				b.Fatal(err)
			}
			p.ConfigureStateStore(b.Context(), provider.ConfigureStateStoreRequest{TypeName: shedType, Config: shedConfig(str("here"))})
			s.states["a"] = make([]byte, size)
			s.write = func(state io.Reader, _ int64) error { _, err := io.Copy(io.Discard, state); return err }
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				resp := p.WriteStateBytes(b.Context(), provider.WriteStateBytesRequest{
					TypeName: shedType, StateID: "a",
					Chunks: p.ReadStateBytes(b.Context(), provider.ReadStateBytesRequest{TypeName: shedType, StateID: "a"}).Chunks,
				})
				if resp.Diagnostics.HasErrors() {
					b.Fatal(resp.Diagnostics)
				}
			}
		})
	}
}
