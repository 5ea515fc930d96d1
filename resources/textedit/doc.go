// Package textedit changes parts of text files, such as a line or a managed block. The rest
// of such a file belongs to other programs or users.
//
// It decides how to combine concurrent changes. It keeps the rest of the file, byte for
// byte, and its mode and owner unless the caller sets them. Packages of resources call it
// with a function that changes the text.
//
// Invariants:
//
//   - A change is based on the content, or with [Part] on the lines, that it replaces: after a
//     concurrent change by another writer, the change is made again. The host compares the content under a lock that a
//     broken connection does not hold, so writers of this package do not lose each other's
//     changes, in one process or in several, on the host or over SSH. On a host that
//     cannot take such a lock, this holds only within one process. A change by another program
//     between comparison and rename may be lost, as with any editor.
//   - The file is replaced in one step or stays unchanged, even if a writer is killed.
//   - A file is not written if its content does not change.
//
// Elsewhere: package file manages whole files.
package textedit
