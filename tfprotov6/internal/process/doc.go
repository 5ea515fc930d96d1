// Package process starts and ends the program of a provider. It does the handshake of
// go-plugin, with certificates for both sides that exist as long as the process, and
// passes on the output of the program.
//
// Package tfprotov6/client uses it. After an error of [Start], and after
// [Process.Close], the program has ended, and no goroutine or directory is left. A program that does
// not end on request is killed. Child processes that keep the output open do
// not block Start or Close. Errors of Start name the program and the cause. Most of
// them, and the result of [Process.Lost], end with the last lines of output, or the first
// ones of a panic.
//
// Elsewhere: tfprotov6/internal/rpc makes the RPCs over the connection.
package process
