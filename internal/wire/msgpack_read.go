package wire

import (
	"math"

	"github.com/zclconf/go-cty/cty"
)

// The first bytes of msgpack values.
const (
	mpNil      = 0xc0
	mpFalse    = 0xc2
	mpTrue     = 0xc3
	mpBin8     = 0xc4
	mpBin16    = 0xc5
	mpBin32    = 0xc6
	mpExt8     = 0xc7
	mpExt16    = 0xc8
	mpExt32    = 0xc9
	mpFloat32  = 0xca
	mpFloat64  = 0xcb
	mpUint8    = 0xcc
	mpUint16   = 0xcd
	mpUint32   = 0xce
	mpUint64   = 0xcf
	mpInt8     = 0xd0
	mpInt16    = 0xd1
	mpInt32    = 0xd2
	mpInt64    = 0xd3
	mpFixExt1  = 0xd4
	mpFixExt16 = 0xd8
	mpStr8     = 0xd9
	mpStr16    = 0xda
	mpStr32    = 0xdb
	mpArray16  = 0xdc
	mpArray32  = 0xdd
	mpMap16    = 0xde
	mpMap32    = 0xdf

	mpFixMap   = 0x80
	mpFixArray = 0x90
	mpFixStr   = 0xa0
	mpNegative = 0xe0
)

// msgpackReader reads primitive values, extension values, and the heads of arrays and maps. It
// works on a string, so that strings in the result are substrings and not copies.
type msgpackReader struct {
	s     string
	pos   int
	depth int
	// reserve is the number of elements that may still be allocated in advance.
	reserve int
}

// prealloc returns the number of elements, at most n, for which memory is allocated in
// advance. All collections together get at most one element for each byte of the input, because
// nested collections may all claim the same bytes.
func (r *msgpackReader) prealloc(n int) int {
	n = min(n, maxPrealloc, r.reserve)
	r.reserve -= n
	return n
}

// peek returns the first byte of the next value.
func (r *msgpackReader) peek() (byte, error) {
	if r.pos >= len(r.s) {
		return 0, &failure{err: errTruncated}
	}
	return r.s[r.pos], nil
}

// take returns the next n bytes.
func (r *msgpackReader) take(n int) (string, error) {
	if n < 0 || n > len(r.s)-r.pos {
		return "", &failure{err: errTruncated}
	}
	part := r.s[r.pos : r.pos+n]
	r.pos += n
	return part, nil
}

// uint returns the next n bytes as a number.
func (r *msgpackReader) uint(n int) (uint64, error) {
	part, err := r.take(n)
	if err != nil {
		return 0, err
	}
	var u uint64
	for i := range len(part) {
		u = u<<8 | uint64(part[i])
	}
	return u, nil
}

// sized returns the next n bytes as the length of a sequence whose elements have at least
// per bytes each. It returns an error if the remaining input is too short for them, so that
// nothing is allocated for elements that do not exist.
func (r *msgpackReader) sized(n, per int) (int, error) {
	u, err := r.uint(n)
	if err != nil {
		return 0, err
	}
	return r.fits(u, per)
}

func (r *msgpackReader) fits(u uint64, per int) (int, error) {
	if u > uint64(len(r.s)-r.pos)/uint64(per) {
		return 0, &failure{err: errTruncated}
	}
	return int(u), nil
}

// text reads a string or a byte string. For any other value the error is "<what> is required".
func (r *msgpackReader) text(what string) (string, error) {
	code, err := r.peek()
	if err != nil {
		return "", err
	}
	var n int
	switch {
	case code >= mpFixStr && code < mpNil:
		r.pos++
		return r.take(int(code & 0x1f))
	case code == mpStr8 || code == mpBin8:
		r.pos++
		n, err = r.sized(1, 1)
	case code == mpStr16 || code == mpBin16:
		r.pos++
		n, err = r.sized(2, 1)
	case code == mpStr32 || code == mpBin32:
		r.pos++
		n, err = r.sized(4, 1)
	default:
		return "", failf("%s is required", what)
	}
	if err != nil {
		return "", err
	}
	return r.take(n)
}

// arrayLen reads the head of an array and returns its length.
func (r *msgpackReader) arrayLen(what string) (int, error) {
	return r.length(what, mpFixArray, mpArray16, mpArray32, 1)
}

// mapLen reads the head of a map and returns its length.
func (r *msgpackReader) mapLen(what string) (int, error) {
	return r.length(what, mpFixMap, mpMap16, mpMap32, 2)
}

// length reads the head of a sequence whose elements have at least per bytes each. The length is
// in one of the 16 codes that start at fixed, or in the 16 or 32 bits after code16 or code32.
func (r *msgpackReader) length(what string, fixed, code16, code32 byte, per int) (int, error) {
	code, err := r.peek()
	if err != nil {
		return 0, err
	}
	switch {
	case code&0xf0 == fixed:
		r.pos++
		return r.fits(uint64(code&0x0f), per)
	case code == code16:
		r.pos++
		return r.sized(2, per)
	case code == code32:
		r.pos++
		return r.sized(4, per)
	default:
		return 0, failf("%s is required", what)
	}
}

func (r *msgpackReader) bool() (bool, error) {
	code, err := r.peek()
	if err != nil {
		return false, err
	}
	if code != mpTrue && code != mpFalse {
		return false, failf("a bool is required")
	}
	r.pos++
	return code == mpTrue, nil
}

// number reads a number: an integer, a float, or decimal text for other numbers.
func (r *msgpackReader) number() (cty.Value, error) {
	code, err := r.peek()
	if err != nil {
		return cty.NilVal, err
	}
	if code < mpFixMap || code >= mpNegative {
		r.pos++
		return intValue(int64(int8(code))), nil
	}
	switch code {
	case mpUint8, mpUint16, mpUint32, mpUint64:
		r.pos++
		u, err := r.uint(1 << (code - mpUint8))
		if err != nil {
			return cty.NilVal, err
		}
		return uintValue(u), nil
	case mpInt8, mpInt16, mpInt32, mpInt64:
		i, err := r.int()
		if err != nil {
			return cty.NilVal, err
		}
		return intValue(i), nil
	case mpFloat32:
		r.pos++
		u, err := r.uint(4)
		if err != nil {
			return cty.NilVal, err
		}
		return floatValue(float64(math.Float32frombits(uint32(u))))
	case mpFloat64:
		r.pos++
		u, err := r.uint(8)
		if err != nil {
			return cty.NilVal, err
		}
		return floatValue(math.Float64frombits(u))
	}
	s, err := r.text("a number")
	if err != nil {
		return cty.NilVal, err
	}
	return parseNumber(s)
}

// int reads an integer of any width.
func (r *msgpackReader) int() (int64, error) {
	code, err := r.peek()
	if err != nil {
		return 0, err
	}
	r.pos++
	if code < mpFixMap || code >= mpNegative {
		return int64(int8(code)), nil
	}
	switch code {
	case mpUint8, mpUint16, mpUint32, mpUint64:
		u, err := r.uint(1 << (code - mpUint8))
		return int64(u), err
	case mpInt8:
		u, err := r.uint(1)
		return int64(int8(u)), err
	case mpInt16:
		u, err := r.uint(2)
		return int64(int16(u)), err
	case mpInt32:
		u, err := r.uint(4)
		return int64(int32(u)), err
	case mpInt64:
		u, err := r.uint(8)
		return int64(u), err
	}
	return 0, failf("an integer is required")
}

func isExt(code byte) bool {
	return code >= mpExt8 && code <= mpExt32 || code >= mpFixExt1 && code <= mpFixExt16
}

// ext reads the head of an extension value and its body.
func (r *msgpackReader) ext() (id byte, body string, err error) {
	code, err := r.peek()
	if err != nil {
		return 0, "", err
	}
	r.pos++
	var n int
	switch {
	case code >= mpFixExt1 && code <= mpFixExt16:
		n = 1 << (code - mpFixExt1)
	case code >= mpExt8 && code <= mpExt32:
		n, err = r.sized(1<<(code-mpExt8), 1)
	default:
		err = failf("an extension value is required")
	}
	if err != nil {
		return 0, "", err
	}
	head, err := r.take(1)
	if err != nil {
		return 0, "", err
	}
	body, err = r.take(n)
	return head[0], body, err
}
