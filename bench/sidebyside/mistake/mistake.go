// Package mistake has one small resource on each of the three libraries of package sidebyside,
// with one mistake of its author at a time, to show which component detects the mistake, and when.
//
// If a library makes a mistake impossible, an [Impossible] error has the reason.
//
// Elsewhere: package sidebyside runs the lifecycles of the resources and reports the
// results.
package mistake

// Kind is a mistake of the author.
type Kind string

// The mistakes. [None] is the correct resource.
const (
	None          Kind = ""
	UnknownOutput Kind = "returns an unknown output"
	OtherValue    Kind = "returns a value that differs from the configuration"
	NoObject      Kind = "returns neither an object nor an error from create"
	BrokenPromise Kind = "changes an output that the plan of an update keeps"
	InvalidPlan   Kind = "plans a value that differs from the configuration"
	OtherIdentity Kind = "returns a different identity when it is read"
	UnknownName   Kind = "misspells an attribute in a rule between attributes"
	BadDefault    Kind = "has a default that its own rule rejects"
	NearMiss      Kind = "has an optional method with the wrong signature"
	Panics        Kind = "panics in create"
)

// Kinds returns all mistakes, without [None].
func Kinds() []Kind {
	return []Kind{
		UnknownOutput, OtherValue, NoObject, BrokenPromise, InvalidPlan, OtherIdentity, UnknownName, BadDefault, NearMiss, Panics,
	}
}

// Impossible is the reason why a mistake cannot be made with a library.
type Impossible string

func (i Impossible) Error() string { return string(i) }

// The name of the provider, and values of its resource thing_thing, which has a name, a label
// and a size.
const (
	providerName = "thing"
	size         = 7
	otherSize    = 8
	otherText    = "other"
)
