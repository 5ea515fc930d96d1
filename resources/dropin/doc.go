// Package dropin is files of which a program of the system reads a whole directory:
// /etc/sudoers.d, /etc/cron.d. Each file is one object, belongs to root, and has the
// mode that the program demands.
//
// It decides what they are called, when one that is there already is taken over, and
// how its mode and owner are repaired. Packages of resources call it; what is in the
// files is theirs.
//
// Invariants: a file is made or replaced in one step, and only after the caller has
// judged it complete, with its final mode and owner; what is no regular file is
// neither followed nor replaced nor removed.
//
// Elsewhere: files of which only a part is ours are package textedit, files that people
// write as a whole package file.
package dropin
