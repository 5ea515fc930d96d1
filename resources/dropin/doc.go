// Package dropin manages files in drop-in directories, such as /etc/sudoers.d and
// /etc/cron.d. Each file is one object, belongs to root, and has the mode that the
// program requires.
//
// It decides which names are valid, when an existing file is adopted, and how mode and
// owner are repaired. The packages of resources call it with the content.
//
// Invariants: a file is created or replaced atomically, with its final mode and owner,
// after the caller's check of the complete temporary file; an update replaces only the text
// that the plan has shown; only regular files are replaced or removed, and links are not
// followed.
//
// Elsewhere: package textedit handles managed blocks in files, package file other files.
package dropin
