// Package states is what an engine remembers between runs: for each resource
// instance its current object and those that are deposed, and the output values
// of the root.
//
// Package engine writes it through [SyncState], states/statefile stores it.
//
// Invariants: a [ResourceInstanceObject], a [ResourceInstanceObjectSrc] and an
// [OutputValue] are never changed once they are in a state, so copies of a state
// share what these hold and are cheap: they copy the tree alone. What is read
// from a SyncState belongs to who read it, in the same sense. Nothing here is
// safe for concurrent use but SyncState. Values have no marks: which paths are
// sensitive stands beside them.
//
// Elsewhere: addresses are package addrs, the file's format is states/statefile,
// what an object has to be like is decided by the engine.
package states
