package hostilessh

import (
	"fmt"
	"math/rand/v2"
)

// Stage is the part of a connection in which the server misbehaves.
type Stage int

// The stages of a connection.
const (
	Banner      Stage = iota // instead of the identification line
	KeyExchange              // after the identification line
	Login                    // when the client authenticates
	Channel                  // when the client requests a channel
	Program                  // when the client starts a program
	Output                   // in the output of a program
	stages
)

// String returns the name of the stage.
func (s Stage) String() string {
	return [...]string{"banner", "key exchange", "login", "channel", "program", "output"}[s]
}

// Kind is the way in which the server misbehaves.
type Kind int

// The kinds of misbehaviour. Their effect depends on the stage.
const (
	Cut     Kind = iota // the connection, or the channel, is closed; at Login, the password is rejected
	Silent              // nothing more is sent, or no more output
	Refuse              // a request is refused; the output is replaced by an exit status
	Garbage             // some random bytes
	Endless             // random bytes, requests or questions without end
	Huge                // the length of a packet is the largest number
	Flip                // some bits of the output are inverted
	Names               // names in the output are replaced by ones that lead out of their directory
	kinds
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"cut", "silent", "refuse", "garbage", "endless", "huge", "flip", "names"}[k]
}

// Fault is the misbehaviour of one connection.
type Fault struct {
	Stage Stage
	Kind  Kind
	// After is the number of channels, programs or bytes of output that are correct before the fault.
	After int
	// Stderr selects the standard error of programs instead of the standard output.
	Stderr bool
	// Seed is the seed of random bytes.
	Seed uint64
}

// String describes the fault.
func (f Fault) String() string {
	return fmt.Sprintf("%s at %s after %d (stderr %t, seed %d)", f.Kind, f.Stage, f.After, f.Stderr, f.Seed)
}

// Random returns a random fault. Most faults are in the output of a program, where the client has
// the most code.
func Random(r *rand.Rand) Fault {
	f := Fault{Kind: Kind(r.IntN(int(kinds))), Seed: r.Uint64()}
	if r.IntN(5) == 0 {
		f.Stage = Stage(r.IntN(int(Output)))
		f.After = r.IntN(4)
		return f
	}
	f.Stage = Output
	f.After = r.IntN(1 << (6 + r.IntN(13))) // the first KiB belong to requests that detect the services of the host
	f.Stderr = r.IntN(8) == 0
	return f
}
