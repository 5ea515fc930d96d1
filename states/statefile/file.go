package statefile

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/states"
)

// ErrNoState says that there is no byte to read: no state was stored yet.
var ErrNoState = errors.New("there is no state")

// File is a state with what goes with it in a file.
type File struct {
	// TerraformVersion is of the program that wrote the file, and may be empty.
	TerraformVersion string
	// Serial grows with each write that changes something. Lineage is the same
	// in all files that came of one another.
	Serial  uint64
	Lineage string
	State   *states.State
	// CheckResults are kept as they are; nil for a file without.
	CheckResults json.RawMessage
	// Extra are fields of the file that no field here is for.
	Extra map[string]json.RawMessage
}

// New is the file of a state.
func New(state *states.State, lineage string, serial uint64) *File {
	return &File{State: state, Lineage: lineage, Serial: serial}
}

// NewLineage is a lineage that no other file has: a random UUID.
func NewLineage() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Error is a file that cannot be read, or a state that cannot be written.
type Error struct {
	// Path is the place in the file, as "resources[0].instances[1].status", and
	// empty where the file as a whole is meant.
	Path    string
	Problem string
}

// Error is the problem with its place.
func (e *Error) Error() string {
	if e.Path == "" {
		return "state file: " + e.Problem
	}
	return "state file, at " + e.Path + ": " + e.Problem
}

func fail(path, format string, args ...any) *Error {
	return &Error{Path: path, Problem: fmt.Sprintf(format, args...)}
}

// problem is an error of a value with the place in the value.
func problem(err error) string {
	if at := (cty.PathError{}); errors.As(err, &at) && len(at.Path) > 0 {
		return diag.FormatPath(at.Path) + ": " + err.Error()
	}
	return err.Error()
}
