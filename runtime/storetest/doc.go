// Package storetest states the contract of a state store as tests.
//
// Call [Run] in a test of a [runtime.TypedStateStore]:
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, runtime.NoConfig{}, func(t *testing.T) func() runtime.TypedStateStore[runtime.NoConfig] {
//			dir := t.TempDir()
//			return func() runtime.TypedStateStore[runtime.NoConfig] { return &Directory{Path: dir} }
//		})
//	}
//
// The outer function is called for each test and creates empty storage; the inner one
// returns a configured store that uses it, and is called for each client, because clients
// of a store are processes that share nothing else. The tests use only the methods of the
// contract, and write at most a few megabytes.
//
// Elsewhere: package runtime handles and tests chunks and mistakes of clients.
package storetest
