package guard

import (
	"context"
	"crypto/sha256"
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ValidateListResourceConfig is part of [provider.Interface].
func (g *guarded) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	resp, crash := ask(ctx, g, rpcValidateList, req.TypeName, g.inner.ValidateListResourceConfig, req)
	resp.Diagnostics = g.messages(ctx, rpcValidateList, g.load(ctx).lists.of(req.TypeName), resp.Diagnostics, crash)
	return resp
}

// ListResource is part of [provider.Interface]. Its rules are in listrules.go.
func (g *guarded) ListResource(ctx context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	resp, crash := ask(ctx, g, rpcList, req.TypeName, g.inner.ListResource, req)
	c := g.load(ctx)
	config, found := c.lists.of(req.TypeName), c.resources.of(req.TypeName)
	failed := resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcList, config, resp.Diagnostics, crash)
	switch {
	case crash != nil: // nothing came
	case config == nil:
		if resp.Results != nil {
			s := search{g: g, config: undeclared(req.TypeName)}
			resp.Results = s.results(ctx, resp.Results)
		}
	case found == nil || len(config.unlawful) > 0: // said above
		resp.Results = nil
	case len(found.unlawful) > 0:
		resp.Results, resp.Diagnostics = nil, with(resp.Diagnostics, found.unlawful)
	case resp.Results != nil:
		s := search{g: g, config: config, found: found, limit: req.Limit, include: req.IncludeResourceObject}
		resp.Results = s.results(ctx, resp.Results)
	case !failed:
		r := newReport(rpcList, config)
		r.add(listNothing, nil, "%s of %s answered neither results nor an error.", rpcList, config.name)
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
	return resp
}

// search is one call of ListResource whose results are to be judged.
type search struct {
	g      *guarded
	config *resourceType
	// found is the type of what is found; nil if it is not known.
	found   *resourceType
	limit   int64
	include bool
}

// results is what the provider finds, each result with what there is to say
// about it. One that is refused keeps its name and its messages only.
func (s *search) results(ctx context.Context, results iter.Seq[provider.ListResult]) iter.Seq[provider.ListResult] {
	return func(yield func(provider.ListResult) bool) {
		j := resultsJudge{search: s, messages: newReport(rpcList, s.config)}
		if s.found != nil {
			j.report = newReport(rpcList, s.found)
			j.typeName = s.config.name
			j.elsewhere = true
		}
		left := false
		crash := follow(ctx, s.g, rpcList, s.config.name, results, func(result provider.ListResult) bool {
			j.messages.reset()
			j.reset()
			crash := s.g.judging(ctx, rpcList, s.config.name, func() { j.judge(&result) })
			if crash != nil || j.broken() {
				result.Identity, result.ResourceObject = cty.NilVal, cty.NilVal
			}
			if crash != nil || j.list != nil || j.messages.list != nil {
				result.Diagnostics = with(with(j.messages.addTo(result.Diagnostics), j.list), crash)
			}
			left = !yield(result)
			return !left && !j.full
		})
		if crash != nil && !left {
			yield(provider.ListResult{Diagnostics: crash})
		}
	}
}

// resultsJudge judges the results of one search one after the other. The report
// embedded is on what was found.
type resultsJudge struct {
	*search
	report

	messages report // on messages, which are about the configuration
	sent     int64
	full     bool // more came than was asked for: the search is over
	seen     map[[sha256.Size]byte]bool
	// What is only warned of is said once in a search.
	saidNoName, saidNoObject bool
}

func (j *resultsJudge) judge(result *provider.ListResult) {
	j.messages.diagnostics(j.config, result.Diagnostics)
	if j.found == nil || result.Diagnostics.HasErrors() {
		return
	}
	if len(result.Diagnostics) > 0 && result.DisplayName == "" && result.Identity == cty.NilVal && result.ResourceObject == cty.NilVal {
		return // messages and nothing else
	}
	if j.sent++; j.limit > 0 && j.sent > j.limit {
		j.full = true
		j.add(listTooMany, nil, "The limit was %s, and %s of %s sent another one.", diag.Count(j.limit, "result"), j.rpc, j.typeName)
		return
	}
	if result.DisplayName == "" && !j.saidNoName {
		j.saidNoName = true
		j.add(listNoName, nil, "%s of %s sent a result whose DisplayName is empty.", j.rpc, j.typeName)
	}
	j.judgeIdentity(result.Identity)
	j.judgeObject(result)
}

func (j *resultsJudge) judgeIdentity(v cty.Value) {
	t := j.found
	if !j.identity(t, v, identityRules{unknown: listIdentityUnknown, misfit: listIdentityMisfit}) {
		return
	}
	if t.identity.absent(v) {
		j.add(listNoIdentity, nil, "%s of %s sent a result without an identity.", j.rpc, j.typeName)
		return
	}
	j.completeIdentity(t, v, listIdentityIncomplete)
	if j.broken() || len(j.seen) == tellable {
		return
	}
	key := sha256.Sum256([]byte(identity.Key(v)))
	if j.seen[key] {
		j.add(listTwice, nil, "%s of %s sent a result with an identity that it had sent before.", j.rpc, j.typeName)
		return
	}
	if j.seen == nil {
		j.seen = make(map[[sha256.Size]byte]bool)
	}
	j.seen[key] = true
}

// tellable is how many results of one search are told apart, so that memory is
// bounded.
const tellable = 1 << 16

func (j *resultsJudge) judgeObject(result *provider.ListResult) {
	switch {
	case !j.include:
		if !result.ResourceObject.IsNull() {
			j.add(listUnasked, nil, "IncludeResourceObject was false, and %s of %s sent an object.", j.rpc, j.typeName)
		}
	case result.ResourceObject.IsNull() && j.found.state.conforms(result.ResourceObject):
		if len(result.Diagnostics) == 0 && !j.saidNoObject {
			j.saidNoObject = true
			j.add(listNoObject, nil, "IncludeResourceObject was true, and %s of %s sent a result without an object.", j.rpc, j.typeName)
		}
	default:
		j.state(j.found, result.ResourceObject, stateRules{listUnknown, listMisfit, listSecret})
	}
}
