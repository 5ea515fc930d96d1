// Command describe writes the doc comments of struct types and their fields
// into the package, as the method Descriptions that runtime.Describer asks for,
// so that one text serves godoc, the schema and the registry page.
//
// It is called by go generate, in the folder of the package, with the names of
// the types:
//
//	//go:generate go run github.com/posixform/terraform-provider-posix/internal/cmd/describe File FileOutput
//
// It writes descriptions_gen.go, the same bytes for the same comments. With
// -check it writes nothing and fails when the file is stale.
package main
