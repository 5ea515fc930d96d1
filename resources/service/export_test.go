package service

import "time"

// SetWaits sets how long a service has to run, and how long it takes until one that
// is starting is looked at again.
func SetWaits(up, again time.Duration) { staysUp, lookEvery = up, again }
