// Package resourcetest has the tests that every resource type of this provider must
// pass on a real host: an object is created, manual changes of all managed attributes are
// detected and repaired, the object is imported by ID and by identity, an existing object is
// adopted, and the object is destroyed.
//
// Tests of packages below resources call [Life.Run] with the example of the registry
// page as configuration, so that documented configurations are tested. They mostly run
// in a root (package roottest), in which they may change users and packages. Life runs
// in this process, or on the real command if ACCTEST_ENGINE selects it. In the fast
// tier, which has no roots, each type has a shorter test on a host in memory or on a
// transcript recorded in a root (Record).
//
// [CommandFaults] breaks the connection, fills the disk, or kills the provider or its client, at each
// command of a lifecycle.
//
// [Query] and [Invoke] run list resources and actions on the engine.
//
// The other helpers call one resource (Object), data source or ephemeral resource
// (Lookup) of a provider without an engine; a Fleet is a provider with hosts.
//
// Elsewhere: package acctest/conformance tests random configurations.
package resourcetest
