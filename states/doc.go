// Package states is what an engine remembers between runs: for each resource
// instance its current object and those that are deposed, and the output values
// of the root.
//
// Package engine writes it through SyncState, states/statefile stores it.
//
// Invariants: objects are never changed once they were made; what is read from a
// SyncState is a copy.
//
// Elsewhere: addresses are package addrs.
package states
