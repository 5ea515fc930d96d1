// Package remotecmd runs programs on a host, such as useradd, dpkg-query and systemctl.
//
// It decides where to search for programs and in which language they print, and has the
// error types of programs that are missing or fail. Packages of resources call it, and
// interpret the output.
//
// Invariants:
//
//   - A program gets its arguments unchanged: no shell parses them. A script is a constant,
//     which the compiler checks, and values are its positional parameters.
//   - Secrets are passed through standard input. No message contains them.
//   - The output of a program is complete, or there is an error.
//   - A detached program is never interrupted, and is started once: a new connection reads its result.
//     If the host has rebooted, which ended the program, it is started again.
//
// Elsewhere: package command runs configured commands.
package remotecmd
