// Package planjson shows plans and states in the JSON form that other programs
// read, as the structs of terraform-json: what `show -json` prints, decoded.
//
// Package acctest calls it for the checks of terraform-plugin-testing. The structs
// are made directly, without JSON in between; numbers are json.Number, as
// terraform-plugin-testing decodes them.
//
// Invariants: values are shown as they are, sensitive ones too, as the command
// does. What is made shares nothing with the plan or the state; the parts of one
// result may share values with each other, so nobody may change them.
//
// Not shown: the configuration and relevant attributes, which no check looks at, the
// outcome of conditions in states and in plans to destroy, and the time of the plan.
package planjson
