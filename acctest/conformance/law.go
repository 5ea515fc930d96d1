package conformance

import "slices"

// Law is a property of resource types that users rely on.
type Law struct {
	// ID is a short name, used in Options.Waive.
	ID string
	// Text is the law as a sentence. Why is the consequence of breaking it.
	Text, Why string
}

// Laws returns all laws, roughly in the order in which a case checks them.
func Laws() []Law { return slices.Clone(laws) }

const (
	lawSchema          = "schema-lawful"
	lawPanic           = "no-panic"
	lawAlive           = "process-lives"
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
	lawEvidence        = "enough-evidence"
)

var laws = []Law{
	{lawSchema, "the schema is valid", "A client rejects the whole provider, or cannot decode its values."},
	{lawPanic, "no call panics", "A panic ends the provider in the middle of a run, and created objects are missing from the state."},
	{lawAlive, "no call ends the provider's process", "All calls in progress fail, and created objects are missing from the state."},
	{lawValidateUnknown, "a valid configuration stays valid if some of its values are unknown", "Values of other resources are unknown during validation, so a configuration could not refer to them."},
	{lawPlanUnknown, "a plan succeeds if some values are unknown", "Values of resources created in the same run are unknown, so a configuration could not refer to them."},
	{lawPlanValid, "a plan has the values of the configuration", "A client rejects a plan that changes what the user wrote."},
	{lawPlanAgain, "planning twice gives the same plan", "A client plans again when it applies, and stops with an inconsistent final plan."},
	{lawPlanRefines, "a plan with more known values agrees with the plan made before they were known", "A client plans again when it applies, and stops with an inconsistent final plan."},
	{lawPlanPure, "a plan has no side effects", "Many plans are only reviewed, and never applied."},
	{lawReplace, "paths that require replacement exist", "A client rejects the plan."},
	{lawApplyKeeps, "an apply does what was planned", "A client reports an inconsistent result after apply, and the run fails."},
	{lawApplyWorks, "an apply of a valid configuration succeeds", "Invalid values should be rejected before anything is changed."},
	{lawApplyResult, "a successful apply returns the object, and a successful deletion returns null", "The state would lack an object that exists, or keep one that does not."},
	{lawStored, "stored values are known and of the schema's type", "Unknown values cannot be written to the state, and values of another type cannot be read again."},
	{lawWriteOnly, "write-only values are never stored", "They are secrets that must not be in the state."},
	{lawIdentity, "an identity is complete", "An object with an incomplete identity cannot be imported by it."},
	{lawIdentityStable, "an identity does not change during the life of an object", "A stored identity no longer refers to the object."},
	{lawReadApplied, "a refresh right after an apply changes nothing", "Every later run would report changes that nobody made."},
	{lawReadAgain, "a second refresh changes nothing", "Every later run would report changes that nobody made."},
	{lawPrivate, "a refresh that finds no change keeps the private data", "Data that the provider needs in later calls is lost."},
	{lawPlanEmpty, "a plan after an apply is empty", "Every later run would change an object that is already correct."},
	{lawUpgrade, "upgrading a state of the current version does not change it", "The provider changes or loses what it stored itself."},
	{lawImport, "an existing object can be imported", "Existing objects could not be managed."},
	{lawImportSame, "an imported object equals the object that was created", "The state would be wrong after an import."},
	{lawImportPlan, "a plan after an import is empty", "The first run after an import would change an object in use."},
	{lawGenerate, "a generated configuration is valid and changes nothing", "Users import many objects and keep the generated configuration."},
	{lawDrift, "a refresh finds changes made outside of Terraform", "The drift is neither shown nor repaired."},
	{lawGone, "a refresh finds that the object was removed outside of Terraform", "The object is never created again, and later runs fail."},
	{lawFailed, "a failed apply keeps created objects in the state", "Objects missing from the state make the next run fail."},
	{lawDestroy, "a destroy removes the object", "An object that still exists after a destroy costs money and can be attacked."},
	{lawDestroyAgain, "destroying an object that does not exist succeeds", "A run that is interrupted after the deletion could never be completed."},
	{lawSecret, "no message shows a sensitive value", "Messages are stored in logs."},
	{lawEngine, "a complete run with the object and others succeeds", "Laws that hold for single calls must hold for complete runs."},
	{lawEvidence, "at least a quarter of the cases run to their end", "The other laws are hardly tested, so a passing test proves little."},
}

func lawOf(id string) Law {
	i := slices.IndexFunc(laws, func(l Law) bool { return l.ID == id })
	return laws[i]
}
