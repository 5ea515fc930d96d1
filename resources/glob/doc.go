// Package glob matches paths below a directory with patterns.
//
// In a pattern, * matches any number of characters except /, ? matches one of these,
// [a-z] one of a range, [!a-z] one outside of it, and \ makes the next character literal. A
// pattern without / matches names at any depth; one with / matches paths from the
// directory on, where the element ** matches any number of directories. A pattern that
// ends with / matches directories only. The descriptions of attributes repeat this.
//
// Invariants: [Parse] rejects every invalid pattern; a match takes time in proportion to
// the pattern times the path.
//
// Elements are matched by [path.Match]. A matcher of whole paths with **, such as
// doublestar, gives other results: its classes match /, and it has alternatives in
// braces.
//
// Elsewhere: packages tree (exclude) and directorylist use it.
package glob
