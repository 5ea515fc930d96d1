package remote

import (
	"fmt"
	"time"
)

// ReplyTimeout limits how long a program that replies to requests about files may be silent
// while requests are pending. The slowest request is to sync a large file to a slow disk.
const ReplyTimeout = 5 * time.Minute

// ErrSilent means that a program was silent for [ReplyTimeout]. To repeat the request in
// another session is of no use. It matches [host.ErrLost].
var ErrSilent = Lost(fmt.Sprintf("the host has not replied for %d minutes. Check whether one of its file systems or disks hangs",
	ReplyTimeout/time.Minute))
