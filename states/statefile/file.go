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

// ErrNoState is returned for an empty file: no state has been stored yet.
var ErrNoState = errors.New("there is no state")

// File is the content of a state file: a state and its metadata.
type File struct {
	// TerraformVersion is the version of the program that wrote the file, or "".
	TerraformVersion string
	// Serial is incremented by the caller for each write with a change. Lineage is the
	// same in all successors of a file.
	Serial  uint64
	Lineage string
	State   *states.State
	// CheckResults are stored unchanged; nil if the file has none.
	CheckResults json.RawMessage
	// Extra has unknown fields of the file.
	Extra map[string]json.RawMessage
}

// New returns the file of a state.
func New(state *states.State, lineage string, serial uint64) *File {
	return &File{State: state, Lineage: lineage, Serial: serial}
}

// NewLineage returns a new lineage: a random UUID.
func NewLineage() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Error is the error of a file that cannot be read, or of a state that cannot be
// written.
type Error struct {
	// Path is the path in the file, such as "resources[0].instances[1].status", or ""
	// for the whole file and for a resource that cannot be written.
	Path    string
	Problem string
}

// Error returns the problem with its path.
func (e *Error) Error() string {
	if e.Path == "" {
		return "state file: " + e.Problem
	}
	return "state file, at " + e.Path + ": " + e.Problem
}

func fail(path, format string, args ...any) *Error {
	return &Error{Path: path, Problem: fmt.Sprintf(format, args...)}
}

// problem returns the text of an error with its path.
func problem(err error) string {
	if at := (cty.PathError{}); errors.As(err, &at) && len(at.Path) > 0 {
		return diag.FormatPath(at.Path) + ": " + err.Error()
	}
	return err.Error()
}
