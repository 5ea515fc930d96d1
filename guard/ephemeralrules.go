package guard

import (
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
)

const (
	rpcValidateEphemeral = "ValidateEphemeralResourceConfig"
	rpcOpen              = "OpenEphemeralResource"
	rpcRenew             = "RenewEphemeralResource"
	rpcClose             = "CloseEphemeralResource"
)

// soonest is how far ahead the time of a renewal must be. Engines sleep until
// then and know no shortest wait, so a time that is past makes them ask again
// and again as fast as they can; one that is nearer than this, as left by clocks
// that differ or a life that was taken for milliseconds, does nearly the same.
const soonest = time.Second

const (
	openDeferred   ID = "EPH-001"
	openNull       ID = "EPH-002"
	openUnknown    ID = "EPH-003"
	openMisfit     ID = "EPH-004"
	openConfigured ID = "EPH-005"
	openRenewAt    ID = "EPH-006"
	openLeaked     ID = "EPH-007"
	renewPrivate   ID = "EPH-008"
	renewRenewAt   ID = "EPH-009"
)

func ephemeralRules() []Rule {
	return []Rule{
		{
			ID: openDeferred, RPC: rpcOpen, Subject: SubjectAnswer, Title: "was put off, which the client does not allow",
			Why:    "OpenTofu takes the answer for one that was not put off, and uses it.",
			Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; else answer or return an error.",
			Source: "§15, neither engine: Terraform goes on without the object, OpenTofu ignores it",
		},
		{
			ID: openNull, RPC: rpcOpen, Subject: SubjectAnswer, Title: "has neither an object nor an error",
			Why:    "Configuration refers to attributes of the object, which null does not have.",
			Fix:    "Return an object; if it cannot be opened, return an error that says why.",
			Source: "§15, Terraform: \"Provider produced invalid ephemeral resource instance\"; OpenTofu: \"Provider produced null object\"",
		},
		{
			ID: openUnknown, RPC: rpcOpen, Subject: SubjectAttribute, Title: "is unknown after it was opened",
			Why:    "The object exists, so nothing is left that could make the value known later.",
			Fix:    "Give each attribute a value or null.",
			Source: "§15, OpenTofu: \"Provider produced invalid object\"; Terraform lets computed attributes pass",
		},
		{
			ID: openMisfit, RPC: rpcOpen, Subject: SubjectAttribute, Title: "does not fit the schema after it was opened",
			Why:    "Neither engine can use an object of another type than the schema's.",
			Fix:    "Return all attributes of the schema, no others, each of its type.",
			Source: "§15, Terraform: \"Provider produced invalid ephemeral resource instance\"; OpenTofu: \"Provider produced invalid object\"",
		},
		{
			ID: openConfigured, RPC: rpcOpen, Subject: SubjectAttribute, Title: "is not what is configured after it was opened",
			Why:    "Whoever refers to an attribute that is configured gets another value than the configuration says.",
			Fix:    "Return what is configured as it is; declare the attribute as computed if the provider gives its value where it is unset.",
			Source: "§15, Terraform: \"Provider produced invalid ephemeral resource instance\"; OpenTofu does not compare",
		},
		{
			ID: openRenewAt, RPC: rpcOpen, Subject: SubjectAnswer, Title: "asks for a renewal at once",
			Why:    "Engines renew as soon as the time has come and know no shortest wait, so they would ask without end.",
			Fix:    "Set RenewAt to a time at least a second ahead, early enough before the object expires, or leave it zero if it does not expire.",
			Source: "§15, neither engine: a time in the past makes them spin",
		},
		{
			ID: openLeaked, RPC: rpcOpen, Subject: SubjectPrivate, Title: "came with an error",
			Why:    "Neither engine closes what could not be opened, so what the private data is about stays behind.",
			Fix:    "Close what was opened before the error is returned, and return no private data with it.",
			Source: "§15, neither engine: the data is dropped", Severity: diag.Warning,
		},
		{
			ID: renewPrivate, RPC: rpcRenew, Subject: SubjectPrivate, Title: "got lost in a renewal",
			Why:    "OpenTofu renews and closes with what the last renewal returned, Terraform renews with it: without it the object cannot be found.",
			Fix:    "Return the request's private data, or an empty slice that is not nil to say that it is no longer needed.",
			Source: "§15, neither engine: the data is lost",
		},
		{
			ID: renewRenewAt, RPC: rpcRenew, Subject: SubjectAnswer, Title: "asks for the next renewal at once",
			Why:    "Engines renew as soon as the time has come and know no shortest wait, so they would ask without end.",
			Fix:    "Set RenewAt to a time at least a second ahead, or leave it zero if there is nothing to renew any more.",
			Source: "§15, neither engine: a time in the past makes them spin",
		},
	}
}
