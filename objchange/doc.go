// Package objchange decides which objects are lawful between configuration,
// prior state, plan and result: what is proposed to a provider, whether a plan
// is a lawful step from prior state towards configuration, and whether a result
// keeps the promises of a plan.
//
// The engine's rules are Terraform's. Package guard calls them on each answer
// of the provider, acctest calls them in the engine's place, and runtime uses
// [Equal] to decide what has changed.
//
// Invariants: it is pure, with values in and violations out. It never panics,
// whatever the values are; values that are not of the schema's implied type
// give violations. Each violation is a [cty.PathError]; they are sorted by path,
// so equal inputs give equal text, and a text never contains a value. Marks are
// ignored. Where nothing is wrong no path is built and nothing is formatted.
//
// Elsewhere: which type a value must have is configschema, the other rules for
// answers are package guard, wording for users is package diag.
package objchange
