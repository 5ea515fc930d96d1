// Package glob matches paths below a directory with patterns.
//
// In a pattern, * matches any number of characters except /, ? matches one character except
// /, [a-z] matches one character of a range, [!a-z] one outside of it, and \ makes the next
// character literal. A pattern without / matches names at any depth; one with / matches
// paths relative to the directory, where the element ** matches any number of directories.
// A pattern that ends with / only matches directories. The descriptions of attributes repeat
// this.
//
// Invariants: [Parse] rejects every invalid pattern; the time of a match is proportional to
// the length of the pattern times that of the path.
//
// Elements are matched by [path.Match]. A matcher of whole paths with **, such as
// doublestar, gives other results: its classes match /, and it has alternatives in
// braces.
//
// Elsewhere: packages tree (exclude) and directorylist use it.
package glob
