// Package framework is what package bench compares on
// terraform-plugin-framework, written as its documentation advises: a model of
// types.* fields, plan modifiers where a value survives an update, no private
// state.
//
// Elsewhere: the same without a framework is package floor, on this
// repository's runtime package ours.
package framework
