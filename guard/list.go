package guard

import (
	"context"
	"crypto/sha256"
	"iter"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcList = "ListResource"

// listResponseRules are the rules for the response itself.
var listResponseRules = []Rule{
	{
		ID: "LIST-013", Subject: SubjectResponse, Title: "has neither results nor an error",
		Why:    "The response is treated as a list without results.",
		Fix:    "Set Results, to an empty sequence if nothing was found.",
		Source: "§17, neither engine: nothing found",
		when:   succeeded | validSchema, check: func(x *exchange) {
			if x.response.(*provider.ListResourceResponse).Results == nil {
				x.add(nil, "%s of %s returned neither results nor an error.", x.rpc, x.typeName)
			}
		},
	},
}

// listResultRules are the rules for each result. The request of these exchanges is a
// *search, the response a *provider.ListResult.
var listResultRules = []Rule{
	{
		ID: "LIST-001", Subject: SubjectIdentity, Title: "is missing from a result",
		Why:    "Terraform ends the list with an error, or silently drops the result if it or an earlier one has a warning.",
		Fix:    "Give each result an identity with at least one value; a result without an identity may have diagnostics only.",
		Source: "§17, Terraform: \"missing identity data in ListResource event\"",
		when:   succeeded, check: (*exchange).identityMissing,
	},
	{
		ID: "LIST-002", Subject: SubjectIdentity, Title: "is unknown in a result",
		Why:    "A result is imported by its identity, which must be known for that.",
		Fix:    "Give each attribute of the identity a value or null.",
		Source: "§17, neither engine: not checked",
		when:   succeeded, check: (*exchange).identityUnknown,
	},
	{
		ID: "LIST-003", Subject: SubjectIdentity, Title: "does not match the identity schema in a result",
		Why:    "Terraform cannot decode it and ends the list.",
		Fix:    "Return all attributes of the identity schema, no others, each with its type.",
		Source: "§17, Terraform cannot decode it",
		when:   succeeded, check: (*exchange).identityMismatch,
	},
	{
		ID: "LIST-004", Subject: SubjectIdentity, Title: "is required for import, but null in a result",
		Why:    "The result could not be imported.",
		Fix:    "Give each attribute that is required for import a value, or make it optional for import.",
		Source: "§17, neither engine: not checked",
		when:   succeeded, check: (*exchange).identityIncomplete,
	},
	{
		ID: "LIST-005", Subject: SubjectIdentity, Title: "is in two results of one list",
		Why:    "Configuration that is generated from the results would import one object to two addresses.",
		Fix:    "Send each object once; if pages of a remote list overlap, remember which objects were sent.",
		Source: "§17, neither engine: not checked",
		when:   succeeded | unbroken, check: func(x *exchange) {
			if x.hasIdentity() && x.request.(*search).seenBefore(x.identity) {
				x.add(nil, "%s of %s sent two results with the same identity.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "LIST-006", Subject: SubjectAttribute, Title: "is unknown in the object of a result",
		Why:    "The object exists, and configuration is generated from it; an unknown value has no text.",
		Fix:    "Give each attribute a value or null.",
		Source: "§17, neither engine: not checked",
		when:   succeeded, check: (*exchange).objectUnknown,
	},
	{
		ID: "LIST-007", Subject: SubjectAttribute, Title: "does not match the schema in the object of a result",
		Why:    "Terraform cannot decode it and ends the list.",
		Fix:    "Return all attributes of the schema of the managed resource, no others, each with its type.",
		Source: "§17, Terraform cannot decode it",
		when:   succeeded, check: (*exchange).objectMismatch,
	},
	{
		ID: "LIST-008", Subject: SubjectAttribute, Title: "is write-only, but has a value in the object of a result",
		Why:    "The value would be shown, and written to generated configuration.",
		Fix:    "Set write-only attributes to null.",
		Source: "§17, neither engine: not checked",
		when:   succeeded, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "LIST-009", Subject: SubjectResponse, Title: "has an object that was not requested",
		Why:    "The object is dropped; reading it may have cost a request for each result.",
		Fix:    "Set ResourceObject only if IncludeResourceObject is true in the request.",
		Source: "§17, Terraform: ignored",
		when:   succeeded, check: func(x *exchange) {
			if !x.request.(*search).include && !x.response.(*provider.ListResult).ResourceObject.IsNull() {
				x.add(nil, "IncludeResourceObject was false, and %s of %s sent an object.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "LIST-010", Subject: SubjectResponse, Title: "lacks an object that was requested",
		Why:    "Terraform treats the missing object as null, and generates empty configuration.",
		Fix:    "Set ResourceObject if IncludeResourceObject is true; if the object cannot be read, return a diagnostic with the reason in the result.",
		Source: "§17, neither engine: null; plugin-framework warns (§20)", Severity: diag.Warning,
		when: succeeded, check: func(x *exchange) {
			s := x.request.(*search)
			if s.include && x.objectProblem() == none && x.object.IsNull() && len(x.diagnostics) == 0 && !s.warnedNoObject {
				s.warnedNoObject = true
				x.add(nil, "IncludeResourceObject was true, and %s of %s sent a result without an object.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "LIST-011", Subject: SubjectResponse, Title: "has more results than were requested",
		Why:    "Terraform stops reading at the limit, and further results of the provider are never used.",
		Fix:    "End the list after Limit results; a Limit of zero or less means no limit.",
		Source: "§17, Terraform: the stream is cut off",
		check: func(x *exchange) {
			if s := x.request.(*search); s.full {
				x.add(nil, "The limit was %s, and %s of %s sent another one.", diag.Count(s.limit, "result"), x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "LIST-012", Subject: SubjectResponse, Title: "has a result without a name", Severity: diag.Warning,
		Why:    "Users select results by name.",
		Fix:    "Set DisplayName to the usual name of the object, or to its ID.",
		Source: "§17, neither engine: shown as it is",
		when:   succeeded, check: func(x *exchange) {
			if s := x.request.(*search); x.response.(*provider.ListResult).DisplayName == "" && !s.warnedNoName {
				s.warnedNoName = true
				x.add(nil, "%s of %s sent a result whose DisplayName is empty.", x.rpc, x.typeName)
			}
		},
	},
}

var listCall = call[provider.ListResourceRequest, provider.ListResourceResponse]{
	rpc: rpcList, family: listTypes, rules: listResponseRules, pool: new(sync.Pool),
	invoke:      provider.Interface.ListResource,
	diagnostics: func(resp *provider.ListResourceResponse) *diag.Diagnostics { return &resp.Diagnostics },
	repair:      func(*exchange, *provider.ListResourceRequest, *provider.ListResourceResponse) {},
}

// ListResource implements [provider.Interface].
func (g *guarded) ListResource(ctx context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	resp := run(ctx, g, &listCall, req.TypeName, req)
	if resp.Results == nil {
		return resp
	}
	types := &g.load(ctx).types
	s := search{g: g, config: types[listTypes].of(req.TypeName), limit: req.Limit, include: req.IncludeResourceObject}
	if s.config == nil {
		s.config = undeclared(req.TypeName)
	} else if s.found = types[managed].of(req.TypeName); s.found == nil || len(s.config.schemaErrors)+len(s.found.schemaErrors) > 0 {
		if s.found != nil && len(s.config.schemaErrors) == 0 {
			resp.Diagnostics = with(resp.Diagnostics, s.found.schemaErrors)
		}
		resp.Results = nil
		return resp
	}
	resp.Results = s.results(ctx, resp.Results)
	return resp
}

// search is the state of one call of ListResource whose results are checked.
type search struct {
	g      *guarded
	config *resourceType
	// found is the managed resource type of the results; nil if the list resource type is not declared.
	found   *resourceType
	limit   int64
	include bool

	sent int64
	full bool // more results than the limit were sent, so the list ends
	seen map[[sha256.Size]byte]bool
	// Whether the warnings that are reported once per list have been reported.
	warnedNoName, warnedNoObject bool

	x *exchange // exchange for the result being checked
}

// results returns the results of the provider with the diagnostics of the guard. A
// result that the guard rejects keeps only its name and its diagnostics.
func (s *search) results(ctx context.Context, results iter.Seq[provider.ListResult]) iter.Seq[provider.ListResult] {
	return func(yield func(provider.ListResult) bool) {
		s := *s // state of this iteration
		s.x = new(exchange)
		stopped := false
		crash := follow(ctx, s.g, rpcList, s.config.name, results, func(result provider.ListResult) bool {
			var own, found diag.Diagnostics
			crash := s.g.checking(ctx, rpcList, s.config.name, func() { own, found = s.check(&result) })
			if crash != nil || found.HasErrors() {
				result.Identity, result.ResourceObject = cty.NilVal, cty.NilVal
			}
			if crash != nil || found != nil || own != nil {
				result.Diagnostics = with(with(with(result.Diagnostics, own), found), crash)
			}
			stopped = !yield(result)
			return !stopped && !s.full
		})
		if crash != nil && !stopped {
			yield(provider.ListResult{Diagnostics: crash})
		}
	}
}

// check checks a result. own has diagnostics about the diagnostics of the result, whose paths are in
// the configuration of the list. found has diagnostics about the result itself.
func (s *search) check(result *provider.ListResult) (own, found diag.Diagnostics) {
	x := s.x
	if len(result.Diagnostics) > 0 {
		*x = newExchange(rpcList, s.config)
		x.diagnostics = result.Diagnostics
		x.checkDiagnostics()
		own = x.list
		if s.found == nil || result.Diagnostics.HasErrors() ||
			result.DisplayName == "" && result.Identity == cty.NilVal && result.ResourceObject == cty.NilVal {
			return own, nil // only the diagnostics are checked
		}
	}
	if s.found == nil {
		return own, nil
	}
	*x = newExchange(rpcList, s.found)
	x.typeName, x.elsewhere = s.config.name, true
	x.request, x.response, x.diagnostics = s, result, result.Diagnostics
	x.identity, x.inspect = result.Identity, (*exchange).storedProblem
	if s.include {
		x.object = result.ResourceObject
	}
	if s.sent++; s.limit <= 0 || s.sent <= s.limit {
		x.has = succeeded
	} else {
		s.full = true
	}
	x.check(listResultRules)
	return own, x.list
}

// maxSeen limits the number of stored identities.
const maxSeen = 1 << 16

// seenBefore reports whether the list had a result with the identity, and
// stores the identity. Once maxSeen identities are stored, it returns false.
func (s *search) seenBefore(id cty.Value) bool {
	if len(s.seen) == maxSeen {
		return false
	}
	key := sha256.Sum256([]byte(identity.Key(id)))
	if s.seen[key] {
		return true
	}
	if s.seen == nil {
		s.seen = make(map[[sha256.Size]byte]bool)
	}
	s.seen[key] = true
	return false
}

// follow passes the events of a provider to receive until they end or receive returns
// false. It returns the diagnostics for a panic of the provider, including the panic that
// stops a provider which continues after false. It does not recover panics of receive.
func follow[Event any](
	ctx context.Context, g *guarded, rpc, typeName string, events iter.Seq[Event], receive func(Event) (more bool),
) (crash diag.Diagnostics) {
	receiving := false
	defer func() {
		if receiving {
			return
		}
		if cause := recover(); cause != nil {
			crash = g.panicked(ctx, &panicInCall, rpc, typeName)
		}
	}()
	for event := range events {
		receiving = true
		more := receive(event)
		receiving = false
		if !more {
			break
		}
	}
	return nil
}
