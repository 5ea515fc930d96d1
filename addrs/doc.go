// Package addrs has the addresses that configuration, plan and state share: modules,
// resources and their instances, providers, variables, locals and outputs.
//
//	addr, err := addrs.ParseAbsResourceInstanceStr(`module.a[0].posix_file.motd["web1"]`)
//
// The names are those of Terraform. A declaration has a static address (Module,
// ConfigResource), and count and for_each expand it to instances (ModuleInstance,
// AbsResourceInstance). A Target selects a module, a resource or an instance.
//
// Invariants: addresses are immutable. String and the Parse function of a kind, if there is one,
// are inverses of each other, except that list and action blocks are not parsed; a parse error is a
// ParseError, except that of ParseProviderSourceString. Addresses without slices are
// comparable.
//
// Elsewhere: package engine/lang has the references of expressions.
package addrs
