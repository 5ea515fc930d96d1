// Package remotecmd runs programs of a host: useradd, dpkg-query, systemctl.
//
// It decides how programs are found and in which language they print, and has the errors
// of programs that are missing or fail. Packages of resources call it, and interpret the
// output.
//
// Invariants:
//
//   - A program gets its arguments unchanged: no shell parses them. A script is a constant,
//     which the compiler checks, and values are its positional parameters.
//   - Secrets are passed through standard input, and are in no message.
//   - The output of a program is complete, or there is an error.
//
// Elsewhere: package command runs configured commands.
package remotecmd
