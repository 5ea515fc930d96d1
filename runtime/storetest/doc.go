// Package storetest states the contract of a state store as tests.
//
// A [runtime.TypedStateStore] runs them from a test of its own:
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, runtime.NoConfig{}, func(t *testing.T) func() runtime.TypedStateStore[runtime.NoConfig] {
//			dir := t.TempDir()
//			return func() runtime.TypedStateStore[runtime.NoConfig] { return &Directory{Path: dir} }
//		})
//	}
//
// The outer function is called for each test and makes an empty place for
// states; the inner one configures a store that keeps them there, and is called
// for each client, since the clients of a store are processes which share
// nothing else. The tests look at the place only through the contract, and write
// no more than a few megabytes.
//
// Elsewhere: chunks, and what clients do wrong, are the concern of package
// runtime and tested there.
package storetest
