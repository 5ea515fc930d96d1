// Package plans defines plans: the change of each resource instance with its reason,
// the changes of outputs, and the detected drift.
//
// Package engine makes and applies plans, engine/planjson renders them.
//
// Invariants: plans are immutable. Values have the marks (sensitive) of package lang.
//
// Elsewhere: package states has the state.
package plans
