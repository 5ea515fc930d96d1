// Package process starts a provider's program and ends it: go-plugin's
// handshake, certificates for both sides that live as long as the process, and
// what the program writes.
//
// Package tfprotov6 calls it. After [Start] has failed nothing is left: no
// process, no goroutine, no folder. After [Process.Close] nothing is left
// either; a program that does not end when it is asked to is killed. A program's
// children that hold its output open keep nobody waiting. Errors say which
// program, what is wrong with it, and the last that it wrote, from the panic on
// where there was one.
//
// Elsewhere: what is said over the connection is internal/rpc.
package process
