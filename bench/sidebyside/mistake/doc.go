// Package mistake has one small resource on each of the three libraries, into
// which one mistake of its author at a time is put, so that it can be seen who
// finds it, and when.
//
// Where a library leaves no room for a mistake, an [Impossible] error says why.
//
// Elsewhere: package sidebyside takes the resources through their lives and
// reports what happened.
package mistake
