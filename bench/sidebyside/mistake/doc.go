// Package mistake has one small resource on each of the three libraries, with one of its
// author's mistakes at a time, to show who detects it, and when.
//
// If a library rules out a mistake, an [Impossible] error explains it.
//
// Elsewhere: package sidebyside runs the lifecycles of the resources and reports the
// results.
package mistake
