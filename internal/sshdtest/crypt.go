package sshdtest

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"strings"
)

// crypt returns the hash of a password for /etc/shadow: method 6, SHA-512, with
// the minimum of rounds, because it protects nothing.
func crypt(password, salt string) string {
	const rounds = 1000
	key, salted := []byte(password), []byte(salt)
	sum := func(parts ...[]byte) []byte {
		h := sha512.Sum512(bytes.Join(parts, nil))
		return h[:]
	}
	stretch := func(b []byte, n int) []byte { return bytes.Repeat(b, n/len(b)+1)[:n] }

	inner := sum(key, salted, key)
	mixed := [][]byte{key, salted, stretch(inner, len(key))}
	for n := len(key); n > 0; n >>= 1 {
		if n&1 == 1 {
			mixed = append(mixed, inner)
		} else {
			mixed = append(mixed, key)
		}
	}
	state := sum(mixed...)
	p := stretch(sum(bytes.Repeat(key, len(key))), len(key))
	s := stretch(sum(bytes.Repeat(salted, 16+int(state[0]))), len(salted))
	for i := range rounds {
		var parts [][]byte
		first, last := state, p
		if i%2 == 1 {
			first, last = p, state
		}
		parts = append(parts, first)
		if i%3 != 0 {
			parts = append(parts, s)
		}
		if i%7 != 0 {
			parts = append(parts, p)
		}
		state = sum(append(parts, last)...)
	}

	const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var text strings.Builder
	encode := func(value uint, digits int) {
		for range digits {
			text.WriteByte(alphabet[value&63])
			value >>= 6
		}
	}
	for a, b, c, i := 0, 21, 42, 0; i < 21; i++ {
		encode(uint(state[a])<<16|uint(state[b])<<8|uint(state[c]), 4)
		a, b, c = b+1, c+1, a+1
	}
	encode(uint(state[63]), 2)
	return fmt.Sprintf("$6$rounds=%d$%s$%s", rounds, salt, text.String())
}
