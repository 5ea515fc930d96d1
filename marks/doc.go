// Package marks has the marks of values: properties that all values derived from a value
// inherit.
//
// Elsewhere: engine/lang marks values, states stores which paths are sensitive.
package marks
