package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// mutant is one change to one file.
type mutant struct {
	Package string `json:"package"` // import path
	Func    string `json:"func"`    // function, method as Type.Name, or declared name
	Kind    string `json:"kind"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Nth     int    `json:"nth"` // index among mutants that are otherwise equal
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`

	// The bytes from start to end of File become text.
	start, end int
	text       string
}

// id identifies the mutant in other versions of the package.
func (m *mutant) id() string {
	return fmt.Sprintf("%s\n%s\n%s\n%s\n%s\n%d", m.Package, m.Func, m.Kind, m.Before, m.After, m.Nth)
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s: %s → %s", m.File, m.Line, m.Column, m.Func, m.Kind, m.Before, m.After)
}

// apply returns src with the change.
func (m *mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.text), src[m.end:])
}

// shuffle sorts the mutants into the order in which they are tried. The relative order of
// two mutants depends only on the seed and their IDs.
func shuffle(mutants []mutant, seed int) {
	key := func(m *mutant) uint64 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", seed, m.id()))
		return binary.BigEndian.Uint64(sum[:])
	}
	slices.SortFunc(mutants, func(a, b mutant) int { return cmp.Compare(key(&a), key(&b)) })
}

// brief returns source text in one line of limited length.
func brief(text string) string {
	const limit = 80
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > limit {
		runes = append(runes[:limit-1], '…')
	}
	return string(runes)
}
