// Package wrong is a provider with scripted, deliberately wrong responses, to observe
// the reaction of Terraform and OpenTofu.
//
// By default it behaves correctly: it plans the proposed object, computed attributes
// without a value are unknown until the apply, and objects keep their values. A
// behaviour (ParseBehaviour) changes responses of single calls: the state, private
// data, the identity, paths that require replacement, messages, or the encoded bytes.
// The provider is a protocol server and not a provider.Interface, so that it can send
// values that do not match its schema.
//
// Invariants: a response depends only on the script, the request and the number of
// earlier calls of the same kind for the object. Calls returns the calls.
//
// Elsewhere: package scenarios has the scenarios that use it.
package wrong
