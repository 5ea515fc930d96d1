// Package states defines the state that an engine keeps between runs: the current and
// deposed objects of each resource instance, and the output values of the root module.
//
//	state := states.BuildState(func(s *states.SyncState) {
//		s.SetResourceInstanceCurrent(addr, object, provider)
//	})
//
// Package engine changes it with [SyncState]; states/statefile stores it.
//
// Invariants: a [ResourceInstanceObject], a [ResourceInstanceObjectSrc] and an
// [OutputValue] are immutable once they are in a state, so copies of a state share their
// data and are cheap. Results of a SyncState are such copies, except those of its methods
// Lock and ModuleOutputs. Only SyncState is safe for concurrent use. Values have no marks:
// sensitive paths are stored separately.
//
// Elsewhere: package addrs has the addresses, states/statefile the file format; package
// engine validates objects.
package states
