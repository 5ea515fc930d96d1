// Package plans has what a plan is: for each resource instance what is done and
// why, for each output what becomes of it, and what was found changed.
//
// Package engine makes plans and applies them, engine/planjson shows them.
//
// Invariants: a plan is never changed after it was made. Values carry marks
// (sensitive), as the language has them.
//
// Elsewhere: what the state remembers is package states.
package plans
