// Package hostile asks providers what no honest client would, and judges the
// answers. It has nothing but tests.
//
// What is attacked is the whole of a server as [tfprotov6.NewServer] makes it:
// the codec, package guard, package runtime, and on top of them a provider that
// uses every family (internal/demo) or the posix provider, both with a world in
// memory that is new for each input. A fuzz target is one kind of input:
//
//   - FuzzProtobuf: bytes of protobuf messages, to each method of the gRPC server
//   - FuzzRaw…: bytes inside of lawful messages, to the methods of one family:
//     msgpack and JSON of values, stored states, private data, names, chunks
//   - FuzzHostile…: values that fit the schemas and no others' rules, with bytes
//     of single requests changed on their way
//   - FuzzLife…: lives of objects as a client leads them, answers of one request
//     fed to the next, while somebody else changes the world under them
//
// # What counts as a failure
//
// A panic, in whatever message it ends. An answer for which guard has a rule: any
// message that blames the provider's code. An answer that cannot be sent, for its
// text is not UTF-8, or that cannot be read by the schema. An RPC that fails
// instead of answering. A request that takes more than a second of the processor,
// or ten in all, four times in a row; where an execution never ends, the process
// ends with all stacks.
//
// There is one exception, for rules that hold an answer to what the provider has
// answered before: not in lives, but where requests may be forged, it is no
// failure that an object does not become what a plan says that the provider has
// never made, or that it has another identity than the request claims. The rules
// are those in the variable comparing; all others hold for forged requests too.
//
// One thing is not tried: large sets inside of the elements of sets. go-cty puts the
// inner ones in order for each comparison of outer ones, which takes it minutes
// with three levels of twenty fractions, in an engine before it asks a provider.
//
// In lives it is a failure too when what a client may rely on does not hold: a
// second plan that contradicts the first one, a plan that changes something
// although nothing has changed, a state that is another one after an upgrade to
// its own version.
package hostile
