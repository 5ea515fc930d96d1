package textedit

var TempPrefix = tempPrefix
