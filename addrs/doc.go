// Package addrs has the addresses by which configuration, plan and state speak
// of the same things: modules, resources and their instances, providers,
// variables, locals and outputs.
//
// The names are Terraform's own vocabulary. What configuration says once is a
// static address (Module, ConfigResource); what count and for_each make of it
// is an instance (ModuleInstance, AbsResourceInstance).
//
// A Target is what a plan is limited to. Text that is no address is a ParseError,
// which says at which character and why.
//
// Invariants: a value is never changed once made; String and the matching
// Parse function are each other's inverse; values without slices are comparable,
// the others have a Key or a String for maps.
//
// Elsewhere: what refers to what in an expression is engine/lang.
package addrs
