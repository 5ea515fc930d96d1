// Package accspeed measures how long an acceptance test of three steps (create, update,
// import) takes on the engine in this process and on the command line, with the same test
// case in the same run.
//
// The command of the same name calls it. The engines run alternately, so that both have the
// same load. Each test has its own directory and is checked like any acceptance test.
//
// Elsewhere: packages sidebyside and examples/note have the resources.
package accspeed
