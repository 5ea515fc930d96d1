// Command describe copies the doc comments of struct types, fields and functions
// into a generated file, so that one text is godoc, the description in the schema
// and the registry page. For types it writes the method Descriptions of
// runtime.Describer; for functions it writes the runtime.FuncSpec for runtime.MakeFunc.
//
// Run it with go generate in the directory of the package, with the names of the
// types and functions:
//
//	//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe File FileOutput ParseMode
//
// Structs of the package that the types contain, as nested attributes or blocks,
// are included. The output is descriptions_gen.go. With -check, describe writes
// nothing and fails if the file is stale.
//
// Comments are Go doc comments, and descriptions are Markdown: see [markdown]. A Go
// name at the beginning of a comment is removed if the rest is a sentence: see
// [trimName].
//
// The spec of the function ParseMode is the variable parseModeSpec. The summary is
// the first sentence of the comment. A list whose items start with the name of a
// parameter and a colon describes the parameters and is not part of the
// function's description. Parameters are named like those in Go, in snake case;
// a context.Context is skipped if it is the first parameter.
//
// A paragraph that starts with "Deprecated: " is the deprecation message. The message of a
// function is in its spec. The message of a type or field is a paragraph of the description,
// where package runtime finds it.
//
// A field, function or parameter without a comment is an error with the position
// of the field or function. A field of a named type needs no comment if another
// named type has a comment on a field of the same attribute: inputs and outputs
// share its description. The flag -undocumented allows missing comments.
//
// Elsewhere: package runtime puts the descriptions into the schema;
// internal/cmd/registrydocs writes the registry pages.
package main
