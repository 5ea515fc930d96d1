// Package wire converts the values of the provider interface (cty values, schemas,
// diagnostics, paths) to their protocol form and back. Package tfprotov6 uses it as
// a server and as a client.
//
// A [Codec] is compiled once for a type and then used by many goroutines. Its
// msgpack and JSON are those of go-cty, byte for byte, in a fraction of the time: it
// uses neither reflection nor streams, and the attribute names, their order and their
// types are determined once.
//
// Invariants: no input makes a codec panic, recurse without limit, or allocate memory out
// of proportion to the size of the input. An error of a codec is a [cty.PathError] with the
// path of the attribute, and its text never contains a value. Decoded strings and map keys are
// NFC-normalised. The strings of one decoded value may share memory.
//
// Where this codec is stricter than go-cty:
//   - In msgpack, an object must have each of its attributes exactly once. A tuple
//     must have each of its elements. go-cty accepts an empty map for any object and an
//     empty array for any tuple, and a repeated name can hide a missing name. In JSON,
//     missing attributes are null, except in an object whose type is in the input: a
//     short input could have a long type and very many empty objects.
//   - Elements of different types in a collection of dynamic type are an error;
//     go-cty panics.
//   - The key of a map must be a string; go-cty treats anything else as the empty
//     string.
//   - Data after the type of a value of dynamic type is an error.
//   - The upper bound of the length of an unknown list is ignored if the lower bound is
//     the same and greater than 64: go-cty allocates a list of that many unknown
//     elements.
//   - Numbers beyond two to the power of ±4,096 are an error: printing such a number,
//     or putting it into a set, would take seconds or all memory. Numbers with a text
//     of more than 8,192 characters are also an error, because parsing takes quadratic time.
//   - A type of more than 64 levels and more than 100 nested values of dynamic type are
//     errors. So is JSON of more than 1,000 levels in a value of dynamic type or in an
//     ignored value.
//   - A value is never converted on encoding. A value whose type differs from the
//     schema is an error, because it is a bug in the provider.
//
// Like go-cty, a codec ignores bytes after a value, except for [Codec.DecodeStateJSON], and uses
// the last of repeated map keys or JSON attributes.
//
// # Why not cty/json
//
// With cty/json in place of the JSON codec, an upgrade of a stored state, which clients
// request for every object in each run, takes as long as with a server without checks,
// instead of at most a fifth of that time; a small object takes 282 instead of 19
// allocations. The server is then at most twice as fast as terraform-plugin-framework,
// instead of at least eight times as fast. cty/json also has no way to drop attributes
// that a schema no longer has, and limits neither numbers nor the depth of ignored values;
// it panics on some inputs, and some of its encoding errors have no path.
//
// Elsewhere: package tfprotov6 has the RPCs; package guard decides which responses
// are valid.
package wire
