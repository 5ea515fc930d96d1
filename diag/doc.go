// Package diag holds the messages that a person reads: severity, summary,
// detail, and the path of the attribute concerned.
//
// Packages below runtime return errors that carry a [cty.Path] and know no
// severity; [FromError] is the one place where errors become diagnostics. A
// message never contains a value that may be sensitive.
//
// Elsewhere: the protocol form of a diagnostic is internal/wire.
package diag
