// Package textedit changes text files that belong to others as well: a line or a
// block is ours, the rest is not.
//
// It decides how a change meets those of others, and keeps all that is not to be
// changed, byte for byte, with mode and owner. Packages of resources call it; what
// they change in the text is theirs.
//
// Invariants:
//
//   - A change is made of what the file has when it is replaced: what others have
//     written meanwhile is seen, and the change is made anew. Whether that is so is
//     decided on the host, under a lock that no broken connection holds: writers of this
//     package lose nothing of each other, be they in one process or in several, on the
//     host or far from it. Of other programs' writing, what falls into the instant
//     between comparing and renaming may be lost, as with any editor.
//   - The file is replaced in one step, or stays as it is, whoever is killed when.
//   - What need not change is not written.
//
// Elsewhere: files that are ours as a whole are package file.
package textedit
