// Package textedit changes parts of text files, such as a line or a managed block. The rest
// of such a file belongs to other programs or users.
//
// It decides how a change is combined with concurrent ones, and keeps the rest of the file,
// byte for byte, with mode and owner. Packages of resources call it with the change of the
// text.
//
// Invariants:
//
//   - A change is based on the content that it replaces: after a concurrent change, it is
//     made again. The host compares, under a lock that no broken connection holds: writers
//     of this package lose no changes of each other, in one process or in several, on the
//     host or over SSH. A change by another program between comparison and rename may be
//     lost, as with any editor.
//   - The file is replaced in one step or stays unchanged, even if a writer is killed.
//   - A file that need not change is not written.
//
// Elsewhere: package file manages whole files.
package textedit
