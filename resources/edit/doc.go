// Package edit changes text files that belong to others as well: a line or a
// block is ours, the rest is not.
//
// It decides how a change meets those of others, and keeps all that is not to be
// changed, byte for byte, with mode and owner. Packages of resources call it; what
// they change in the text is theirs.
//
// Invariants:
//
//   - A change is made of what the file has when it is replaced: what others have
//     written meanwhile is seen, and the change is made anew.
//   - The file is replaced in one step, or stays as it is.
//   - What need not change is not written.
//
// Elsewhere: files that are ours as a whole are package file.
package edit
