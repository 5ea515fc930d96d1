package cron

// CheckSchedule is for tests with the real cron.
var CheckSchedule = checkSchedule
