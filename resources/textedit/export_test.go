package textedit

// Leftover is for tests of what is removed.
var Leftover = leftover
