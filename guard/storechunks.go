package guard

import (
	"context"
	"iter"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ReadStateBytes is part of [provider.Interface].
func (g *guarded) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	resp, crash := ask(ctx, g, rpcReadBytes, req.TypeName, g.inner.ReadStateBytes, req)
	t := g.store(ctx, req.TypeName)
	failed := crash != nil || resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcReadBytes, t, resp.Diagnostics, crash)
	switch {
	case resp.Chunks != nil:
		if t == nil {
			t = undeclared(req.TypeName)
		}
		agreed, _ := g.chunkSizes.Load(req.TypeName)
		size, _ := agreed.(int64)
		resp.Chunks = g.chunks(ctx, t, resp.Chunks, size)
	case t != nil && !failed:
		resp.Diagnostics = said(resp.Diagnostics, rpcReadBytes, t, storeNothing,
			"%s of %s answered neither chunks nor an error.", rpcReadBytes, t.name)
	}
	return resp
}

// chunks is the chunks of a state, each with what there is to say about it. The
// one from which on the state would be garbled comes without its bytes, and is
// the last one. What is missing at the end comes as a chunk of no bytes.
func (g *guarded) chunks(ctx context.Context, t *resourceType, chunks iter.Seq[provider.StateChunk], size int64) iter.Seq[provider.StateChunk] {
	return func(yield func(provider.StateChunk) bool) {
		j := chunksJudge{report: newReport(rpcReadBytes, t), size: size}
		left := false
		crash := follow(ctx, g, rpcReadBytes, t.name, chunks, func(chunk provider.StateChunk) bool {
			crash := g.judging(ctx, rpcReadBytes, t.name, func() { j.judge(t, &chunk) })
			if crash != nil || j.list != nil {
				chunk.Diagnostics = with(j.addTo(chunk.Diagnostics), crash)
				j.list = nil
			}
			left = !yield(chunk)
			return !left && !j.over
		})
		if left || j.over {
			return
		}
		if crash == nil && !j.failed && j.read != j.total {
			j.add(storeIncomplete, nil, "%s of %s said that the state has %s, and sent %d.", rpcReadBytes, t.name, diag.Count(j.total, "byte"), j.read)
		}
		if last := with(j.list, crash); last != nil {
			yield(provider.StateChunk{TotalLength: j.total, Diagnostics: last})
		}
	}
}

// chunksJudge judges the chunks of one state one after the other.
type chunksJudge struct {
	report

	size        int64 // of each chunk but the last, as agreed; 0 if unknown
	begun       bool
	read, total int64
	failed      bool // the provider sent an error: it promises nothing any more
	over        bool // nothing that follows is of use
}

func (j *chunksJudge) judge(t *resourceType, chunk *provider.StateChunk) {
	j.diagnostics(t, chunk.Diagnostics)
	if j.failed = j.failed || chunk.Diagnostics.HasErrors(); j.failed {
		return
	}
	length := int64(len(chunk.Bytes))
	if length == 0 && chunk.TotalLength == 0 && len(chunk.Diagnostics) > 0 {
		return // messages and nothing else
	}
	if !j.begun {
		j.begun, j.total = true, chunk.TotalLength
	}
	switch {
	case chunk.TotalLength != j.total:
		j.add(storeTotalChanged, nil, "The first chunk of %s said that the state has %s, another one that it has %d.",
			t.name, diag.Count(j.total, "byte"), chunk.TotalLength)
	case length > 0 && (chunk.Start != j.read || chunk.End != j.read+length-1):
		j.add(storeRange, nil, "%s of %s sent %s as those from %d to %d, where the next ones begin at %d.",
			rpcReadBytes, t.name, diag.Count(length, "byte"), chunk.Start, chunk.End, j.read)
	case j.read+length > j.total:
		j.add(storeIncomplete, nil, "%s of %s said that the state has %s, and sent at least %d.",
			rpcReadBytes, t.name, diag.Count(j.total, "byte"), j.read+length)
	}
	if j.broken() {
		chunk.Bytes, j.over = nil, true
		return
	}
	j.read += length
	if last := j.read == j.total; j.size > 0 && (length > j.size || length < j.size && !last) {
		j.add(storeOddChunk, nil, "Chunks of %s were agreed, and %s of %s sent one of %d.", diag.Count(j.size, "byte"), rpcReadBytes, t.name, length)
	}
}
