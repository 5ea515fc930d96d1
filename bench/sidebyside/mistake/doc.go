// Package mistake has one small resource on each of the three libraries, with one mistake
// of its author at a time, to show which component detects the mistake, and when.
//
// If a library makes a mistake impossible, an [Impossible] error has the reason.
//
// Elsewhere: package sidebyside runs the lifecycles of the resources and reports the
// results.
package mistake
