// Package remotecmd runs programs of a host's system: useradd, dpkg-query, systemctl.
//
// It decides how they are found and in which language they speak, and what is
// said of one that is missing or fails. Packages of resources call it; what the
// programs mean is theirs.
//
// Invariants:
//
//   - A program gets its arguments as they are: no shell reads them. A script is a
//     constant of the source, which the compiler sees to, and values are its
//     positional parameters.
//   - What is secret goes through standard input and is in no message.
//   - The answer of a program is whole, or there is an error.
//
// Elsewhere: commands that people write themselves are package command.
package remotecmd
