package conformance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
)

// violation is a broken law, as an error.
type violation struct {
	law string
	// rpc is the call whose answer broke it.
	rpc string
	// what came about, in a sentence or more, without sensitive values.
	what string
	// differences are between what had to come and what came.
	differences []difference
}

func (v *violation) Error() string { return v.law + ": " + v.what }

// setback is a case that cannot go on, and that is nobody's mistake: the
// provider refused something in a way that it may.
type setback struct {
	doing operation
	said  diag.Diagnostics
}

func (s *setback) Error() string { return string(s.doing) + ": " + s.said.Error() }

// operation is what a setback happened to.
type operation string

const (
	planning operation = "plan"
	creating operation = "create"
	updating operation = "update in place"
)

// rpc returns the call that refuses the operation.
func (op operation) rpc() string {
	if op == planning {
		return rpcPlan
	}
	return rpcApply
}

func brokenLaw(err error) string {
	if v, ok := errors.AsType[*violation](err); ok {
		return v.law
	}
	return ""
}

func (r *run) breaks(law, rpc, format string, args ...any) error {
	if _, waived := r.waive[law]; waived {
		return nil
	}
	return &violation{law: law, rpc: rpc, what: fmt.Sprintf(format, args...)}
}

// differs is a broken law about two values that should be the same.
func (r *run) differs(law, rpc string, diffs []difference, format string, args ...any) error {
	err := r.breaks(law, rpc, format, args...)
	if v, ok := errors.AsType[*violation](err); ok {
		v.differences = diffs
	}
	return err
}

// errs is a broken law about rules of package objchange, which have no values in
// their texts.
func (r *run) errs(law, rpc string, broken []error, diffs []difference) error {
	texts := make([]string, len(broken))
	for i, err := range broken {
		texts[i] = r.s.placed(err)
	}
	return r.differs(law, rpc, diffs, "%s", strings.Join(texts, "\n"))
}

// said is the errors among the messages, for people.
func said(messages diag.Diagnostics) string {
	var lines []string
	for _, m := range messages {
		if m.Severity == diag.Error {
			lines = append(lines, m.Error())
		}
	}
	return strings.Join(lines, "\n")
}
