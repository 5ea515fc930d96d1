// Package tfdiags defines the diagnostics of an engine: those of providers, of the language
// and of the engine's own checks, with their object and their source range in the
// configuration.
//
// Format returns the text that the command prints, because tests match expected errors
// against it.
//
// Elsewhere: package diag has the diagnostics of providers.
package tfdiags
