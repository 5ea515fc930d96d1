// Package fleet has a configuration of three hosts over SSH, and a test that runs the
// commands of its README.md.
//
// Elsewhere: the program that runs three SSH servers is in servers.
package fleet
