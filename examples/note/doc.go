// Package note is a whole resource type in one short file: the example of the
// README's section for authors, and the proof that it works as it stands there.
//
// Elsewhere: the contract of a resource is package runtime.
package note
