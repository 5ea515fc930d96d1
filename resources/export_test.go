package resources

// Build makes the provider for another machine than the local one.
var Build = build
