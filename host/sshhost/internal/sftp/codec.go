package sftp

import "encoding/binary"

func appendUint32(b []byte, n uint32) []byte { return binary.BigEndian.AppendUint32(b, n) }
func appendUint64(b []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(b, n) }

func appendText(b []byte, s string) []byte {
	return append(appendUint32(b, uint32(len(s))), s...) //nolint:gosec // Batch refuses longer ones
}

// decoder parses a reply. It keeps its first error and then returns zero values, so that
// loops over an invalid count end at once.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.rest) {
		d.err = broken("an answer ends in the middle")
	}
	if d.err != nil {
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// bytes returns a part of the packet; the buffer is reused after the reply is decoded.
func (d *decoder) bytes() []byte {
	n := d.uint32()
	if uint64(n) > uint64(len(d.rest)) && d.err == nil {
		d.err = broken("an answer ends in the middle")
	}
	if d.err != nil {
		return nil
	}
	return d.take(int(n))
}

func (d *decoder) text() string { return string(d.bytes()) }

// status returns the code and the message. Old servers send no message.
func (d *decoder) status() (Code, string) {
	code := Code(d.uint32())
	if d.err != nil || len(d.rest) == 0 {
		return code, ""
	}
	message := d.bytes()
	if code == CodeOK { // most are
		return code, ""
	}
	return code, string(message)
}

// Entry is a name in a directory and its attributes.
type Entry struct {
	Name  string
	Attrs Attrs
}

// names returns a list. Each entry takes at least twelve bytes, which limits the count.
func (d *decoder) names() []Entry {
	n := d.uint32()
	if d.err == nil && uint64(n) > uint64(len(d.rest))/12 {
		d.err = broken("%d names in %d bytes", n, len(d.rest))
	}
	if d.err != nil {
		return nil
	}
	entries := make([]Entry, 0, n)
	for range n {
		e := Entry{Name: d.text()}
		d.bytes() // the entry in the format of ls -l
		e.Attrs = d.attrs()
		entries = append(entries, e)
	}
	return entries
}
