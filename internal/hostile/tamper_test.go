package hostile_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// tamper changes nothing, or random parts of a request: bytes, scalars, or which fields
// are set.
func tamper(r *rand.Rand, v reflect.Value) {
	if !oneIn(r, 3) {
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *[]byte:
		*at = mutate(r, *at)
		return
	case *string:
		*at = string(mutate(r, []byte(*at)))
		return
	case *int64:
		*at = pick(r, *at+1, *at-1, 0, -1, math.MinInt64, math.MaxInt64, 1<<31, 1<<32)
		return
	case *bool:
		*at = !*at
		return
	case *map[string]string:
		*at = map[string]string{string(mutate(r, []byte("name"))): string(mutate(r, nil)), "tags.#": pick(r, "1", "-1", "99999999999", "x")}
		return
	case *[]*tfplugin.DynamicValue:
		if oneIn(r, 4) {
			*at = append(*at, pick(r, nil, &tfplugin.DynamicValue{}, &tfplugin.DynamicValue{MsgPack: mutate(r, nil)}))
		}
	case **tfplugin.RawState, **tfplugin.DynamicValue, **tfplugin.ResourceIdentityData:
		if oneIn(r, 8) {
			v.SetZero()
		}
	}
	switch v.Kind() { //nolint:exhaustive // the others contain nothing that is changed
	case reflect.Pointer:
		if !v.IsNil() {
			// The target of a pointer may belong to an earlier request.
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
			one(r, v.Elem())
		}
	case reflect.Struct:
		one(r, v)
	case reflect.Slice:
		for i := range v.Len() {
			tamper(r, v.Index(i))
		}
	}
}

// one calls tamper for at most three random fields of a struct.
func one(r *rand.Rand, v reflect.Value) {
	if v.Kind() != reflect.Struct || v.NumField() == 0 {
		return
	}
	for range 1 + r.IntN(3) {
		if f := v.Field(r.IntN(v.NumField())); f.CanSet() {
			tamper(r, f)
		}
	}
}

// fragments has parts of msgpack and JSON documents that decoders must handle.
var fragments = []string{
	// Msgpack: null, invalid and unknown values, huge lengths, unusual numbers, deep nesting.
	"\xc0", "\xc1", "\xd4\x00\x00", "\xc7\x00\x0c", "\xc7\x05\x0c\x82\x01\xc2\x02\xa0", "\x80", "\x90", "\xa0", "\xff\xfe",
	"\xdf\xff\xff\xff\xff", "\xdd\xff\xff\xff\xff", "\xdb\xff\xff\xff\xff", "\xc6\xff\xff\xff\xff",
	"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", "\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
	"\xa31e9", "\xa71e99999", "\xa4-0.0", "\xa40x1p", "\xa3NaN", "\xa4+Inf", strings.Repeat("\x91", 300), strings.Repeat("\x81\xa1a", 200),
	// Values of dynamic type.
	"\x92\xc4\x08\"string\"\xa1x", "\x92\xc4\x09\"dynamic\"\xc0", "\x92\xc4\x11[\"list\",\"dynamic\"]\x90", `{"type":"string","value":1}`,
	// JSON.
	"null", "1e999999999", "-0", "{}", "[]", `"\ud800"`, strings.Repeat("[", 300), strings.Repeat(`{"a":`, 200),
	// Text that is not UTF-8 or not in normalisation form C, and a NUL byte.
	"\xed\xa0\x80", "\xf4\x90\x80\x80", "e\xcc\x81", "\x00",
}

// mutate returns changed bytes. It does not modify its argument.
func mutate(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(3) {
		at := 0
		if len(b) > 0 {
			at = r.IntN(len(b))
		}
		switch fragment := fragments[r.IntN(len(fragments))]; r.IntN(7) {
		case 0:
			b = b[:at]
		case 1:
			b = slices.Insert(b, at, []byte(fragment)...)
		case 2:
			b = append(b[:at], fragment...)
		case 3:
			b = slices.Delete(b, at, min(len(b), at+1+r.IntN(4)))
		case 4:
			b = append(b, b[at:]...)
		default:
			if len(b) > 0 {
				b[at] = byte(r.IntN(256))
			}
		}
	}
	return b
}

// choices is a [rand.Source] that derives decisions from the bytes of an input.
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

// oneIn returns true with a probability of 1/n.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// pick returns one of the values at random.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// seeds returns n inputs for choices of the given length, the same ones in each call.
func seeds(n, length int) [][]byte {
	source := rand.NewChaCha8([32]byte{7})
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, length)
		_, _ = source.Read(all[i])
	}
	return all
}
