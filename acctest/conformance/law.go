package conformance

import "slices"

// Law is something that users rely on of every resource type.
type Law struct {
	// ID is a short name, for Options.Waive and for searching.
	ID string
	// Says is the law in a sentence; Why is what goes wrong without it.
	Says, Why string
}

// Laws are all laws, in the order in which a life meets them.
func Laws() []Law { return slices.Clone(laws) }

// The names of the laws.
const (
	lawSchema          = "schema-lawful"
	lawPanic           = "no-panic"
	lawValidateUnknown = "validate-unknown"
	lawPlanUnknown     = "plan-unknown"
	lawPlanValid       = "plan-valid"
	lawPlanAgain       = "plan-deterministic"
	lawPlanRefines     = "plan-refines"
	lawPlanPure        = "plan-changes-nothing"
	lawReplace         = "replace-sensible"
	lawApplyKeeps      = "apply-keeps-plan"
	lawApplyWorks      = "apply-works"
	lawApplyResult     = "apply-result"
	lawStored          = "stored-known"
	lawWriteOnly       = "write-only-not-stored"
	lawIdentity        = "identity-complete"
	lawIdentityStable  = "identity-stable"
	lawReadApplied     = "read-after-apply"
	lawReadAgain       = "read-idempotent"
	lawPrivate         = "private-kept"
	lawPlanEmpty       = "plan-after-apply"
	lawUpgrade         = "upgrade-is-identity"
	lawImport          = "import-finds"
	lawImportSame      = "import-complete"
	lawImportPlan      = "import-then-plan"
	lawGenerate        = "generated-config"
	lawDrift           = "drift-found"
	lawGone            = "gone-found"
	lawFailed          = "failed-apply"
	lawDestroy         = "destroy-removes"
	lawDestroyAgain    = "destroy-twice"
	lawSecret          = "secret-shown"
	lawEngine          = "engine-agrees"
)

var laws = []Law{
	{lawSchema, "the schema is lawful", "A client refuses the whole provider, or cannot tell what a value means."},
	{lawPanic, "no call panics", "A panic ends the provider in the middle of a run, and what was made is forgotten."},
	{lawValidateUnknown, "a valid configuration stays valid while values in it are not known yet", "Values of other resources are unknown when a configuration is validated: nobody could use them here."},
	{lawPlanUnknown, "a plan can be made while values are not known yet", "Values of resources that are made in the same run are unknown: nobody could use them here."},
	{lawPlanValid, "a plan has what the configuration says", "A client refuses a plan that changes what the user wrote."},
	{lawPlanAgain, "the same plan is made twice", "A client plans again when it applies, and stops with an inconsistent final plan."},
	{lawPlanRefines, "a plan with more known values keeps what the plan with fewer of them promised", "A client plans again when it applies, and stops with an inconsistent final plan."},
	{lawPlanPure, "a plan changes nothing", "People plan to look, and often do not apply."},
	{lawReplace, "paths that ask for replacement exist", "A client refuses the plan."},
	{lawApplyKeeps, "an apply does what was planned", "A client says that the provider produced an inconsistent result, and the run fails."},
	{lawApplyWorks, "an apply of a valid configuration works", "What can be refused should be refused before anything is changed."},
	{lawApplyResult, "an apply that succeeds returns the object, and one that deletes returns none", "A client would forget an object that exists, or keep one that does not."},
	{lawStored, "what is stored is known and of the schema's type", "A state with unknown values cannot be read again."},
	{lawWriteOnly, "write-only values are never stored", "They are secrets that users were promised to find in no state."},
	{lawIdentity, "an identity is complete", "An object whose identity lacks something cannot be imported by it."},
	{lawIdentityStable, "an identity stays the same for the life of an object", "Whoever remembered the identity no longer finds the object."},
	{lawReadApplied, "a refresh right after an apply changes nothing", "Each later run would report changes that nobody made."},
	{lawReadAgain, "a second refresh changes nothing", "Each later run would report changes that nobody made."},
	{lawPrivate, "a refresh that finds no change keeps the private data", "What the provider needs to remember for later calls is lost."},
	{lawPlanEmpty, "a plan after an apply is empty", "Each later run would change something that is as it should be."},
	{lawUpgrade, "a state that was written now is read back as it was", "The provider changes or loses what it stored itself."},
	{lawImport, "an object can be imported while it exists", "People could not bring what they have under control."},
	{lawImportSame, "an imported object is the object that was made", "An import would begin with a wrong picture of what is there."},
	{lawImportPlan, "a plan after an import is empty", "The first run after an import would change what is in use."},
	{lawGenerate, "the configuration that is generated for an object is valid and changes nothing", "People import many objects and take over what is written for them."},
	{lawDrift, "a refresh finds what somebody else changed", "What others changed stays as it is, and nobody is told."},
	{lawGone, "a refresh finds that somebody else removed the object", "The object is never made again, and later runs fail."},
	{lawFailed, "an apply that fails loses nothing", "What was made is in nobody's state, and stands in the way of the next run."},
	{lawDestroy, "after a destroy the object is gone", "People pay for, and are attacked through, what they believe to be gone."},
	{lawDestroyAgain, "destroying what is gone already succeeds", "A run that was interrupted after the deletion could never be finished."},
	{lawSecret, "no message shows a sensitive value", "Messages are in the logs of every pipeline."},
	{lawEngine, "a whole run with the object among others works", "What holds for each call alone has to hold for a run."},
}

func lawOf(id string) Law {
	i := slices.IndexFunc(laws, func(l Law) bool { return l.ID == id })
	return laws[i]
}
