package hostile_test

import (
	"math/rand/v2"
)

// choices is a rand.Source that takes decisions from the bytes of an input.
// Each decision takes one byte as its highest and lowest bits, which rand uses,
// so that changing a byte changes one decision. The other bits, and decisions
// after the last byte, are pseudo-random and deterministic.
type choices struct {
	data []byte
	made uint64
}

func choose(data []byte) *rand.Rand { return rand.New(&choices{data: data}) }

// Uint64 implements [rand.Source].
func (c *choices) Uint64() uint64 {
	c.made += 0x9e3779b97f4a7c15
	z := c.made
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	if len(c.data) > 0 {
		b := uint64(c.data[0])
		z = b<<56 | z>>8&^0xff | b
		c.data = c.data[1:]
	}
	return z
}

// oneIn returns true once in n times.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// pick returns one of the values.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// seeds has inputs for choices.
func seeds(n, length int) [][]byte {
	source := rand.NewChaCha8([32]byte{7})
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, length)
		_, _ = source.Read(all[i])
	}
	return all
}
