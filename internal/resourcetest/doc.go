// Package resourcetest is what every resource type of this provider has to show on
// a real system: that it is created, that a change made by hand of anything that it
// manages is seen and repaired, that it is imported by id and by identity, that
// what is there already is taken over, and that it is destroyed.
//
// Tests of packages below resources call it, with the example of the registry page
// as the configuration: what is documented is what is tested. They mostly run
// inside of a root of their own (package roottest), so that they may change users
// and packages as they like. Life runs in this process and, where ACCTEST_ENGINE
// says so, on the real command. In the fast tier, which has no roots, each type has a
// shorter life on a host in memory or on a transcript that was made in a root (Record).
//
// The other helpers drive one resource (Object), data source or ephemeral resource
// (Lookup) of a provider of some types, without an engine; a Fleet has hosts.
//
// Elsewhere: laws about random configurations are acctest/conformance.
package resourcetest
