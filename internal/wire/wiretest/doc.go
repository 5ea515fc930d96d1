// Package wiretest makes random types and values for tests of codecs and of
// what stands on them.
//
// What it makes depends on the source of randomness alone, so a failure can be
// repeated from its seed. Values are lawful: of their type, with common types
// where a collection needs one, with refinements that do not contradict each
// other.
//
// It is for tests only, those of internal/wire and of tfprotov6.
package wiretest
