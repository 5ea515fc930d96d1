// Package glob decides which paths below a directory a pattern is for.
//
// In a pattern, * is any number of characters but /, ? is one of these, [a-z] one of a range,
// [!a-z] one that is not in it, and \ takes the meaning from the character that follows. A
// pattern without / is for names, wherever they are; one with / is for paths from the directory on,
// in which ** as an element is any number of directories, or none. One that ends with / is for
// directories alone. The comments of the attributes that take patterns say so, too: they
// are the pages.
//
// Invariants: what is no pattern is an error of [Parse], never a pattern that is for nothing; a match takes
// time in proportion to the pattern times the path, whatever they are.
//
// Its users are packages tree (what is left out) and listing (what is looked for).
package glob
