// Package framework has the resources of package bench on terraform-plugin-framework,
// written as its documentation advises: a model of types.* fields, plan modifiers for
// values that survive an update, no private state.
//
// Elsewhere: package floor has the same resources without a framework, package ours on this
// repository's runtime.
package framework
