package service

import "time"

// SetWaits sets startupTime and pollInterval.
func SetWaits(startup, poll time.Duration) { startupTime, pollInterval = startup, poll }
