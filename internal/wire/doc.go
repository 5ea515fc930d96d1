// Package wire turns what the contract speaks of (cty values, schemas,
// diagnostics, paths) into what the protocol carries, and back. It is one codec
// for both ends: package tfprotov6 uses it as server and as client.
//
// A [Codec] is compiled once for a type and then used from many goroutines. Its
// msgpack and JSON are those of go-cty, byte for byte, at a fraction of the
// time: it reads and writes without reflection or streams, and knows attribute
// names, their order and their types beforehand.
//
// Invariants: no input makes it panic, recurse without bound, or allocate much
// more than the input's own size; an error is a [cty.PathError] that names the
// attribute and never has a value in its text. Decoded strings and map keys are
// NFC-normalised. The strings of one decoded value may share memory.
//
// Where this codec is stricter than go-cty, and why:
//   - An object must carry each of its attributes exactly once, and a tuple each
//     of its elements. go-cty takes an empty map for any object and an empty
//     array for any tuple, and lets a repeated name hide a missing one.
//   - Elements of differing types where a collection of a dynamic type needs a
//     common one are an error; go-cty panics.
//   - A key of a map is a string; go-cty takes anything else for an empty one.
//   - Nothing may follow the type that goes with a value of dynamic type.
//   - Numbers beyond ten to the power of ±1,200 are refused: printing one, or
//     putting it into a set, would take seconds or all memory there is.
//   - A value is never converted on encoding. A value of another type than the
//     schema's is a mistake of the provider that should be seen.
//
// As go-cty does, it ignores bytes after a value, and of a map key or a JSON
// attribute that is repeated the last one counts.
//
// Elsewhere: RPCs and their requests are package tfprotov6, which answers core
// accepts is decided by guard.
package wire
