package guard

import (
	"context"
	"iter"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcReadBytes = "ReadStateBytes"

// maxChunk is the largest chunk of a state, in bytes.
const maxChunk = 128 << 20

var configureStoreRules = []Rule{
	{
		ID: "STORE-001", Subject: SubjectResponse, Title: "has an invalid chunk size",
		Why:    "Terraform rejects a size of zero or above 128 MiB, and crashes later because of a negative one.",
		Fix:    "Return the ChunkSize of the request, or another size from 1 to 134217728.",
		Source: "§19, Terraform: \"Failed to negotiate acceptable chunk size\"; a negative size panics",
		when:   succeeded, check: func(x *exchange) {
			req, resp := x.request.(*provider.ConfigureStateStoreRequest), x.response.(*provider.ConfigureStateStoreResponse)
			if resp.ChunkSize <= 0 || resp.ChunkSize > maxChunk {
				x.add(nil, "Chunks of %s were proposed, and %s of %s returned %d.", diag.Count(req.ChunkSize, "byte"), x.rpc, x.typeName, resp.ChunkSize)
				resp.ChunkSize = 0
			}
		},
	},
}

var configureStoreCall = call[provider.ConfigureStateStoreRequest, provider.ConfigureStateStoreResponse]{
	rpc: "ConfigureStateStore", family: stateStores, rules: configureStoreRules, pool: new(sync.Pool),
	invoke:      provider.Interface.ConfigureStateStore,
	diagnostics: func(resp *provider.ConfigureStateStoreResponse) *diag.Diagnostics { return &resp.Diagnostics },
	repair:      func(*exchange, *provider.ConfigureStateStoreRequest, *provider.ConfigureStateStoreResponse) {},
}

// ConfigureStateStore implements [provider.Interface]. The guard stores the agreed chunk
// size.
func (g *guarded) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	resp := run(ctx, g, &configureStoreCall, req.TypeName, req)
	if !resp.Diagnostics.HasErrors() && g.load(ctx).types[stateStores].of(req.TypeName) != nil {
		g.chunkSizes.Store(req.TypeName, resp.ChunkSize)
	}
	return resp
}

// readBytesRules are the rules for ReadStateBytes. The response of their exchanges is that
// of the call, a chunk, or nil at the end of the chunks. The request is a *reading, except
// for the response of the call.
var readBytesRules = []Rule{
	{
		ID: "STORE-002", Subject: SubjectResponse, Title: "has a chunk whose size was not agreed",
		Why:    "The client expects chunks of the agreed size, except for a shorter last one, and warns about others.",
		Fix:    "Send chunks of the size that ConfigureStateStore returned; only the last one may be shorter.",
		Source: "§19, Terraform warns: \"Unexpected size of chunk received\"", Severity: diag.Warning,
		check: chunkIs(oddSize, func(x *exchange, r *reading, chunk *provider.StateChunk) {
			x.add(nil, "Chunks of %s were agreed, and %s of %s sent one of %d.", diag.Count(r.size, "byte"), x.rpc, x.typeName, len(chunk.Bytes))
		}),
	},
	{
		ID: "STORE-003", Subject: SubjectResponse, Title: "has a chunk that is not the next part of the state",
		Why:    "Terraform joins the chunks in the order of arrival and ignores their ranges, so the state would be garbled.",
		Fix:    "Send the chunks in order and without gaps; Start and End are both inclusive and count from zero.",
		Source: "§19, neither engine: not checked",
		check: chunkIs(outOfOrder, func(x *exchange, r *reading, chunk *provider.StateChunk) {
			x.add(nil, "%s of %s sent %s with the range from %d to %d, but the next chunk must begin at %d.",
				x.rpc, x.typeName, diag.Count(len(chunk.Bytes), "byte"), chunk.Start, chunk.End, r.read)
		}),
	},
	{
		ID: "STORE-004", Subject: SubjectResponse, Title: "has chunks with different total lengths of the state",
		Why:    "Parts of two versions of a state, one written while the other was read, would be combined into one state.",
		Fix:    "Read one version of the state, and send its length as TotalLength of each chunk.",
		Source: "§19, neither engine: only the first length is read",
		check: chunkIs(totalChanged, func(x *exchange, r *reading, chunk *provider.StateChunk) {
			x.add(nil, "The first chunk of %s had the total length of %s, a later one that of %d.",
				x.typeName, diag.Count(r.total, "byte"), chunk.TotalLength)
		}),
	},
	{
		ID: "STORE-005", Subject: SubjectResponse, Title: "has a number of bytes that differs from the total length of the state",
		Why:    "A state with missing or additional bytes cannot be read.",
		Fix:    "Send all bytes, or an error with the reason why they cannot be read.",
		Source: "§19, Terraform: \"expected state file of total ...\"",
		check: func(x *exchange) {
			r, ok := x.request.(*reading)
			switch {
			case !ok:
			case x.response == nil && r.read != r.total:
				x.add(nil, "The total length of the state of %s was %s, and %s sent %d.", x.typeName, diag.Count(r.total, "byte"), x.rpc, r.read)
			case r.problem == tooLong:
				x.add(nil, "The total length of the state of %s was %s, and %s sent at least %d.",
					x.typeName, diag.Count(r.total, "byte"), x.rpc, r.read+int64(len(x.response.(*provider.StateChunk).Bytes)))
			}
		},
	},
	{
		ID: "STORE-006", Subject: SubjectResponse, Title: "has neither chunks nor an error",
		Why:    "The response is treated as a state that does not exist, and all objects would be created again.",
		Fix:    "Set Chunks, to an empty sequence if there is no state.",
		Source: "§19, Terraform: no bytes and no error mean no state",
		when:   succeeded, check: func(x *exchange) {
			if resp, ok := x.response.(*provider.ReadStateBytesResponse); ok && resp.Chunks == nil {
				x.add(nil, "%s of %s returned neither chunks nor an error.", x.rpc, x.typeName)
			}
		},
	},
}

var readBytesCall = call[provider.ReadStateBytesRequest, provider.ReadStateBytesResponse]{
	rpc: rpcReadBytes, family: stateStores, rules: readBytesRules, pool: new(sync.Pool),
	invoke:      provider.Interface.ReadStateBytes,
	diagnostics: func(resp *provider.ReadStateBytesResponse) *diag.Diagnostics { return &resp.Diagnostics },
	repair:      func(*exchange, *provider.ReadStateBytesRequest, *provider.ReadStateBytesResponse) {},
}

// ReadStateBytes implements [provider.Interface].
func (g *guarded) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	resp := run(ctx, g, &readBytesCall, req.TypeName, req)
	if resp.Chunks != nil {
		t := g.load(ctx).types[stateStores].of(req.TypeName)
		if t == nil {
			t = undeclared(req.TypeName)
		}
		agreed, _ := g.chunkSizes.Load(req.TypeName)
		size, _ := agreed.(int64)
		resp.Chunks = g.chunks(ctx, t, resp.Chunks, size)
	}
	return resp
}

// reading is the progress of a call of ReadStateBytes.
type reading struct {
	size        int64 // of each chunk except the last, as agreed; 0 if unknown
	begun       bool
	read, total int64
	failed      bool // the provider sent an error: only the diagnostics of later chunks are checked
	over        bool // the stream ends after this chunk
	problem     chunkProblem
}

// chunkProblem is the reason why a chunk is invalid.
type chunkProblem uint8

const (
	chunkValid chunkProblem = iota
	oddSize
	outOfOrder
	totalChanged
	tooLong
)

func chunkIs(problem chunkProblem, report func(*exchange, *reading, *provider.StateChunk)) func(*exchange) {
	return func(x *exchange) {
		if r, ok := x.request.(*reading); ok && r.problem == problem {
			report(x, r, x.response.(*provider.StateChunk))
		}
	}
}

// chunks returns the chunks of a state with the diagnostics of the guard. A chunk that
// would corrupt the state is sent without its bytes, and ends the stream. A diagnostic
// about missing bytes or a panic is sent in an empty chunk.
func (g *guarded) chunks(ctx context.Context, t *resourceType, chunks iter.Seq[provider.StateChunk], size int64) iter.Seq[provider.StateChunk] {
	return func(yield func(provider.StateChunk) bool) {
		r := reading{size: size}
		x := newExchange(rpcReadBytes, t)
		x.request = &r
		stopped := false
		crash := follow(ctx, g, rpcReadBytes, t.name, chunks, func(chunk provider.StateChunk) bool {
			crash := g.checking(ctx, rpcReadBytes, t.name, func() { x.checkChunk(&chunk) })
			if crash != nil || x.list != nil {
				chunk.Diagnostics = with(x.addTo(chunk.Diagnostics), crash)
				x.list = nil
			}
			stopped = !yield(chunk)
			return !stopped && !r.over
		})
		if stopped || r.over {
			return
		}
		if x.response, r.problem = nil, chunkValid; crash == nil && !r.failed {
			x.check(readBytesRules)
		}
		if last := with(x.list, crash); last != nil {
			yield(provider.StateChunk{TotalLength: r.total, Diagnostics: last})
		}
	}
}

// checkChunk checks the next chunk and counts its bytes. If the chunk breaks a rule whose message is
// an error, checkChunk removes the bytes instead, and the stream ends.
func (x *exchange) checkChunk(chunk *provider.StateChunk) {
	r := x.request.(*reading)
	x.response, x.diagnostics = chunk, chunk.Diagnostics
	x.checkDiagnostics()
	if r.failed = r.failed || chunk.Diagnostics.HasErrors(); r.failed {
		return
	}
	length := int64(len(chunk.Bytes))
	if length == 0 && chunk.TotalLength == 0 && len(chunk.Diagnostics) > 0 {
		return // diagnostics only
	}
	if !r.begun {
		r.begun, r.total = true, chunk.TotalLength
	}
	r.problem = r.problemOf(chunk)
	x.check(readBytesRules)
	if x.broken() {
		chunk.Bytes, r.over = nil, true
		return
	}
	r.read += length
}

func (r *reading) problemOf(chunk *provider.StateChunk) chunkProblem {
	length := int64(len(chunk.Bytes))
	end := r.read + length
	switch {
	case chunk.TotalLength != r.total:
		return totalChanged
	case length > 0 && (chunk.Start != r.read || chunk.End != end-1):
		return outOfOrder
	case end > r.total:
		return tooLong
	case r.size > 0 && (length > r.size || length < r.size && end != r.total):
		return oddSize
	default:
		return chunkValid
	}
}

var writeBytesRules = []Rule{
	{
		ID: "STORE-007", Subject: SubjectResponse, Title: "is a success, but the state was not read to its end",
		Why:    "Only a part of the state is stored, and the rest is lost.",
		Fix:    "Range over all Chunks before replacing the state; return an error if one of them has an error, or if bytes are missing.",
		Source: "§19, neither engine: the response is not checked",
		when:   succeeded, check: func(x *exchange) {
			sent, ok := x.request.(*transfer)
			if ok && !sent.complete() {
				x.add(nil, "%s of %s read %s of a state of %d and returned no error.", x.rpc, x.typeName, diag.Count(sent.taken, "byte"), sent.total)
			}
		},
	},
}

var writeBytesCall = call[provider.WriteStateBytesRequest, provider.WriteStateBytesResponse]{
	rpc: "WriteStateBytes", family: stateStores, rules: writeBytesRules, pool: new(sync.Pool),
	invoke:      provider.Interface.WriteStateBytes,
	diagnostics: func(resp *provider.WriteStateBytesResponse) *diag.Diagnostics { return &resp.Diagnostics },
}

// WriteStateBytes implements [provider.Interface].
func (g *guarded) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	if req.Chunks == nil {
		return run(ctx, g, &writeBytesCall, req.TypeName, req)
	}
	var sent transfer
	req.Chunks = sent.watch(req.Chunks)
	c := writeBytesCall
	c.fill = func(x *exchange, _ *provider.WriteStateBytesRequest, _ *provider.WriteStateBytesResponse) {
		x.request = &sent
	}
	return run(ctx, g, &c, req.TypeName, req)
}

// transfer counts the bytes that a provider receives in a call of WriteStateBytes. If
// the provider reads them again, the count starts again.
type transfer struct {
	taken, total int64
	ended        bool // the provider read to the end
	failed       bool // a chunk had an error
}

func (s *transfer) complete() bool {
	return !s.failed && (s.ended || s.total > 0 && s.taken >= s.total)
}

// watch returns the chunks unchanged and counts their bytes.
func (s *transfer) watch(chunks iter.Seq[provider.StateChunk]) iter.Seq[provider.StateChunk] {
	return func(yield func(provider.StateChunk) bool) {
		*s = transfer{}
		for chunk := range chunks {
			s.taken += int64(len(chunk.Bytes))
			s.total = chunk.TotalLength
			s.failed = s.failed || chunk.Diagnostics.HasErrors()
			if !yield(chunk) {
				return
			}
		}
		s.ended = true
	}
}

var lockStateRules = []Rule{
	{
		ID: "STORE-008", Subject: SubjectResponse, Title: "has neither the ID of a lock nor an error",
		Why:    "Terraform unlocks only with an ID, so the state would stay locked.",
		Fix:    "Return the ID of the lock; a store without locks returns an arbitrary ID.",
		Source: "§19 and §22, neither engine: never unlocked",
		when:   succeeded, check: func(x *exchange) {
			if x.response.(*provider.LockStateResponse).LockID == "" {
				x.add(nil, "%s of %s returned an empty LockID.", x.rpc, x.typeName)
			}
		},
	},
}

var lockStateCall = call[provider.LockStateRequest, provider.LockStateResponse]{
	rpc: "LockState", family: stateStores, rules: lockStateRules, pool: new(sync.Pool),
	invoke:      provider.Interface.LockState,
	diagnostics: func(resp *provider.LockStateResponse) *diag.Diagnostics { return &resp.Diagnostics },
	repair:      func(*exchange, *provider.LockStateRequest, *provider.LockStateResponse) {},
}

// LockState implements [provider.Interface].
func (g *guarded) LockState(ctx context.Context, req provider.LockStateRequest) provider.LockStateResponse {
	return run(ctx, g, &lockStateCall, req.TypeName, req)
}

var getStatesRules = []Rule{
	{
		ID: "STORE-009", Subject: SubjectResponse, Title: "has a state twice or without a name",
		Why:    "The ID of a state is the name of a workspace, and a workspace is selected by its name.",
		Fix:    "Return each state once, with the ID with which it was written.",
		Source: "§19, neither engine: not checked",
		when:   succeeded, check: func(x *exchange) {
			ids := x.response.(*provider.GetStatesResponse).StateIDs
			seen := make(map[string]bool, len(ids))
			for _, id := range ids {
				if id == "" || seen[id] {
					x.add(nil, "%s of %s returned %s; %q is empty or a duplicate.", x.rpc, x.typeName, diag.Count(len(ids), "ID"), id)
					return
				}
				seen[id] = true
			}
		},
	},
}

var getStatesCall = call[provider.GetStatesRequest, provider.GetStatesResponse]{
	rpc: "GetStates", family: stateStores, rules: getStatesRules, pool: new(sync.Pool),
	invoke:      provider.Interface.GetStates,
	diagnostics: func(resp *provider.GetStatesResponse) *diag.Diagnostics { return &resp.Diagnostics },
	repair:      func(*exchange, *provider.GetStatesRequest, *provider.GetStatesResponse) {},
}

// GetStates implements [provider.Interface].
func (g *guarded) GetStates(ctx context.Context, req provider.GetStatesRequest) provider.GetStatesResponse {
	return run(ctx, g, &getStatesCall, req.TypeName, req)
}
