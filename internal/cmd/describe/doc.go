// Command describe writes the doc comments of struct types and their fields
// into the package, as the method Descriptions that runtime.Describer asks for,
// and those of functions as the runtime.FuncSpec with which runtime.MakeFunc
// registers them, so that one text serves godoc, the schema and the registry page.
//
// It is called by go generate, in the folder of the package, with the names of
// the types and functions:
//
//	//go:generate go run github.com/posixform/terraform-provider-posix/internal/cmd/describe File FileOutput ParseMode
//
// The structs of the package that these contain, as nested attributes or blocks,
// are described with them. It writes descriptions_gen.go, the same bytes for the
// same comments. With -check it writes nothing and fails when the file is stale.
//
// The comments are Go's and the descriptions Markdown: see [markdown]. Where a
// comment begins with the Go name of what it describes, in a way that is certain,
// the description begins after it: see [unnamed].
//
// The spec of the function ParseMode is the variable parseModeSpec. The first
// sentence of the comment is the summary. A list whose items begin with the name
// of a parameter and a colon has the descriptions of the parameters, and is left
// out of the function's own; a paragraph that begins with "Deprecated: " becomes
// the notice. The names are those of the Go parameters in snake case, the context
// left out.
//
// A field or a parameter without a comment is an error that says where it is,
// unless another of the named types has a field of that name with one: inputs and
// outputs share the attribute, and its description. The flag -undocumented allows
// all.
//
// Elsewhere: what becomes of the words is package runtime; the pages are written
// by internal/cmd/registrydocs.
package main
