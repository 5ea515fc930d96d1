package cron

// CheckSchedule exports checkSchedule for tests with the real cron.
var CheckSchedule = checkSchedule
