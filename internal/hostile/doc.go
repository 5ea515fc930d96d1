// Package hostile sends invalid requests, and unusual sequences of valid ones, to
// providers and checks the responses. It contains only tests.
//
// It tests a complete server of tfprotov6/server: the codec, package guard,
// package runtime, and a provider with types of every kind (internal/demo) or
// the posix provider, both with storage in memory that is new for each input.
// Each fuzz target has one kind of input:
//
//   - FuzzProtobuf: bytes of protobuf messages, to each method of the gRPC server
//     except StopProvider
//   - FuzzRaw…: bytes inside valid messages, to the methods about one kind of
//     type: msgpack and JSON of values, stored states, private data, names, chunks
//   - FuzzHostile…: values that match the schemas but follow no other rules, and
//     valid requests with changed bytes
//   - FuzzLife…: valid sequences of requests, which contain values of earlier responses,
//     while other writers change the storage
//
// # What counts as a failure
//
// These are failures:
//
//   - a panic
//   - a response that violates a rule of guard, or any other message that
//     reports a bug in the provider's code
//   - a response that cannot be sent, because its text is not UTF-8, or that
//     does not match the schema
//   - an RPC that returns a Go error, no response or an incomplete stream
//   - a request that takes more than one second of CPU time, or ten seconds in
//     total, four times in a row
//
// If an execution does not end within a minute, the process prints all stacks and ends.
//
// There are two exceptions if requests may be forged. An object may differ from
// a plan that the provider did not make, and its identity may differ from that in
// the request: the variable comparing has the rules that are then not checked. An
// identity may be empty because of an input that validation rejects. All other
// rules apply to forged requests too.
//
// Large sets inside elements of sets are not tested. go-cty sorts the inner
// sets for each comparison of outer elements, which takes minutes with three
// levels of twenty fractions, even in Terraform before it calls a provider.
//
// In valid sequences of requests, broken guarantees are failures too, for example a second
// plan that contradicts the first, a plan with changes although nothing
// changed, or a state that changes in an upgrade to its own version.
package hostile
