package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// exchange is the input of the checks of rules: the common parts of the requests and
// responses of all calls, and the report on the response. Fields that a call does not have
// are zero.
type exchange struct {
	report
	t *resourceType
	// has are the conditions that hold for the exchange.
	has condition
	// request and response are pointers to those of the call. For a stream,
	// request is the state of the stream and response the event to check, or nil
	// at the end of the stream. For a function, request is the *functionCall; for a schema,
	// the *declaration. For a diagnostic, response is the *diag.Diagnostic.
	request, response any

	// Fields from the request.
	prior         cty.Value // the object before the call
	config        cty.Value
	target        cty.Value // the proposed or planned object
	priorIdentity cty.Value
	priorPrivate  []byte
	mayDefer      bool

	// Fields from the response.
	diagnostics diag.Diagnostics
	deferred    *provider.Deferred
	object      cty.Value
	identity    cty.Value
	private     []byte
	legacy      bool      // the response sets LegacyTypeSystem
	kept        cty.Value // the object to store

	// inspect returns the problem of the object, and compare the places where the object
	// contradicts the request.
	inspect func(*exchange) problem
	compare func(*exchange) []violation

	// Results of checks that several rules share: see objectProblem, identityProblem and
	// violations.
	objectFound, identityFound problem
	violationsFound            []violation
	compared                   bool
}

// newExchange returns the exchange for a response about t, before it is filled.
func newExchange(rpc string, t *resourceType) exchange {
	return exchange{report: newReport(rpc, t), t: t}
}

// begin sets the conditions according to the fields.
func (x *exchange) begin() {
	set := func(c condition, holds bool) {
		if holds {
			x.has |= c
		}
	}
	set(succeeded, !x.diagnostics.HasErrors())
	set(notDeferred, x.deferred == nil)
	set(validSchema, len(x.t.schemaErrors) == 0)
	set(updates, !x.prior.IsNull())
	set(destroys, x.target.IsNull())
	set(keeps, !x.target.IsNull())
	set(exists, !x.kept.IsNull())
}

// check checks the rules whose conditions hold, in order.
func (x *exchange) check(rules []Rule) {
	for i := range rules {
		r := &rules[i]
		if r.when&^unbroken&^x.has != 0 || r.when&unbroken != 0 && x.broken() {
			continue
		}
		x.rule = r
		r.check(x)
	}
}

// Checks that the rules of several calls share.

func (x *exchange) deferralNotAllowed() {
	if x.deferred != nil && !x.mayDefer {
		x.add(nil, "%s of %s was deferred with the reason %q.", x.rpc, x.typeName, x.deferred.Reason)
	}
}

func (x *exchange) legacyTypeSystem() {
	if x.legacy {
		x.add(nil, "%s of %s set LegacyTypeSystem.", x.rpc, x.typeName)
	}
}

func (x *exchange) privateDropped() {
	if len(x.priorPrivate) > 0 && x.private == nil {
		x.add(nil, "The request had %s of private data, and %s of %s returned none.",
			diag.Count(len(x.priorPrivate), "byte"), x.rpc, x.typeName)
	}
}

func (x *exchange) objectNull() {
	if x.objectProblem() == none && x.object.IsNull() {
		x.add(nil, "%s of %s returned %s and no error.", x.rpc, x.typeName, describe(x.object, true))
	}
}

func (x *exchange) objectUnknown() {
	if x.objectProblem() == unknownPart {
		for _, p := range unknowns(x.object) {
			x.add(p.path, "%s of %s returned %s.", x.rpc, x.typeName, describe(p.value, false))
		}
	}
}

func (x *exchange) objectMismatch() {
	if x.objectProblem() == wrongType {
		for _, p := range append(mismatches(x.object.Type(), x.t.state.ty, nil), marks(x.object)...) {
			x.add(p.path, "The part of the object that %s of %s returned %s.", x.rpc, x.typeName, p.text)
		}
	}
}

func (x *exchange) objectWriteOnly() {
	if x.objectProblem() == writeOnlyValue {
		for path, v := range x.t.schema.WriteOnlyValues(x.object) {
			x.add(path, "%s of %s returned %s for a write-only attribute.", x.rpc, x.typeName, describe(v, true))
		}
	}
}

// problem is the reason why an object, an identity or a result is invalid, without regard to
// the configuration or the prior object.
type problem uint8

const (
	notInspected problem = iota
	none
	unknownPart
	wrongType // or a part has a mark
	writeOnlyValue
	noSchema // of an identity whose type has no identity schema
	missingResult
	inconsistentResult // differs from an earlier one for the same arguments
)

// objectProblem returns the problem of the object. It calls inspect only the first time.
func (x *exchange) objectProblem() problem {
	if x.objectFound == notInspected {
		x.objectFound = x.inspect(x)
	}
	return x.objectFound
}

// storedProblem returns the first problem of an object, in the order of Terraform: unknown
// parts, type, write-only attributes. The first problem may be the cause of the others. Null is a
// valid object. A deferred object may have unknown parts.
func (x *exchange) storedProblem() problem {
	state := &x.t.state
	switch {
	case !state.conforms(x.object):
		if x.deferred == nil && len(unknowns(x.object)) > 0 {
			return unknownPart
		}
		return wrongType
	case x.deferred != nil:
		return state.flawsOf(x.object).first(holdsMark, holdsWriteOnly)
	case x.object.IsNull():
		return none
	default:
		return state.flawsOf(x.object).first(holdsMark, holdsUnknown, holdsWriteOnly)
	}
}

// violation is a place where an object contradicts the request.
type violation struct {
	kind   violationKind
	path   cty.Path
	detail string
}

type violationKind uint8

const (
	ofBlock violationKind = iota
	ofValue
	ofUnset   // not configured
	ofUnknown // an unknown value was planned or configured, or is not allowed
)

// violations returns the places where the object contradicts the request. Like both engines, it does
// not compare an object that is invalid by itself.
func (x *exchange) violations() []violation {
	if !x.compared {
		x.compared = true
		if x.objectProblem() == none {
			x.violationsFound = x.compare(x)
		}
	}
	return x.violationsFound
}

// violates returns the check that reports the violations of some kinds.
func violates(kinds ...violationKind) func(*exchange) {
	return func(x *exchange) {
		for _, v := range x.violations() {
			for _, kind := range kinds {
				if v.kind == kind {
					x.add(v.path, "%s", v.detail)
				}
			}
		}
	}
}

// configViolations returns the places where an object that is derived only from the
// configuration contradicts it. Such an object is like a plan of a new object without unknown values.
func (x *exchange) configViolations() (found []violation) {
	if x.object.IsNull() {
		return nil
	}
	for _, err := range objchange.AssertPlanValid(x.t.schema, cty.NilVal, x.config, x.object) {
		path, _ := pathOf(err)
		found = append(found, violation{kind: ofValue, path: path, detail: "Configured: " +
			x.describe(path, valueAt(x.config, path)) + ". Returned: " + x.describe(path, valueAt(x.object, path)) + "."})
	}
	return found
}
