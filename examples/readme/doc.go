// Package readme has the configuration that the README of the repository begins with,
// and a test that applies it to a Debian host over SSH.
package readme
