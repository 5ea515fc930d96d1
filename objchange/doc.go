// Package objchange computes proposed new states, and checks whether a plan is
// a valid change from the prior state to the configuration and whether the result of an
// apply matches its plan.
//
// The rules are those of Terraform. Package guard applies them to the responses
// of a provider, package engine in the role of Terraform, and runtime uses
// [Equal] to find changes.
//
// Invariants: the functions are pure and never panic, for any values; a value
// that does not have the type of the schema is a violation. Violations are
// [cty.PathError]s, sorted by path; their text is deterministic and never
// contains values. Comparisons ignore marks, except that of [ValueEqual].
// For valid values, [AssertPlanValid] and [AssertObjectCompatible] build no path, and they
// format text only to compare elements of sets.
//
// Elsewhere: package configschema has the types of values, package guard the other rules
// for responses, and package diag the diagnostics for users.
package objchange
