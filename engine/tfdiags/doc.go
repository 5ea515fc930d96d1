// Package tfdiags has the messages of an engine: those of providers, of the
// language and of the engine's own checks, with the object and the place in
// configuration that they are about.
//
// Its Format is the text that the command line shows, because tests match
// expected errors against that.
//
// Elsewhere: the messages of providers are package diag.
package tfdiags
