// Package twin is posix_file as a careful expert writes it without a framework:
// package floor once more, with the real resource's schema and identity.
//
// A whole run costs the engine more for a resource with many attributes and an
// identity, whoever serves it. The twin has the same engine cost as posix_file,
// so what remains between the two is the provider's. A test compares their plans.
//
// It serves what the benchmark needs: files with content and mode, on the local
// host. The schema is taken from the provider, so that the two cannot drift
// apart; all else is its own.
package twin
