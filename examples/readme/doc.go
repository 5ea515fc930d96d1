// Package readme has the first configuration in the README of the repository, and a test
// that applies it to a Debian host over SSH.
package readme
