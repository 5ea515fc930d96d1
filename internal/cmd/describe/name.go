package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// openers begin what something is, so that it stands alone: "Path is the
// absolute path" says "The absolute path".
var openers = []string{
	"a", "after", "all", "an", "any", "anything", "before", "each", "either", "every", "everything", "how", "nothing", "one", "somebody",
	"something", "the", "what", "whatever", "when", "where", "whether", "which", "whichever", "who", "whoever", "whose",
}

// participles are those that do not end in "ed": "Owner is given by the server"
// says "Given by the server".
var participles = []string{
	"built", "chosen", "drawn", "found", "given", "held", "kept", "known", "made", "meant", "put", "read", "run", "sent", "set", "shown",
	"spent", "taken", "told", "understood", "written",
}

// verbs are those that cannot be nouns: after a name they say what it does.
var verbs = []string{
	"adds", "allows", "becomes", "computes", "configures", "contains", "converts", "creates", "decides", "decodes", "defines", "deletes",
	"describes", "determines", "disables", "enables", "encodes", "ensures", "finds", "generates", "gives", "has", "holds", "identifies",
	"indicates", "installs", "keeps", "makes", "manages", "opens", "parses", "prevents", "proves", "provides", "reads", "removes", "renders",
	"replaces", "represents", "requires", "returns", "says", "selects", "sends", "serves", "specifies", "splits", "takes", "tells",
	"turns", "verifies", "waits", "writes",
}

// objects follow a verb, and no plural: "Limit bounds the size" has one,
// "Limit bounds that apply" has not.
var objects = []string{
	"a", "all", "an", "any", "each", "every", "how", "it", "itself", "its", "no", "one", "the", "their", "them", "this", "what", "where", "whether",
	"which", "who",
}

// neither end like verbs and plurals, and are followed by the same words.
var neither = []string{
	"afterwards", "always", "as", "besides", "does", "is", "its", "perhaps", "sometimes", "this", "towards", "was",
}

// unnamed takes the Go name off the beginning of a comment, because a registry
// page has the attribute's name where Go has the field's: "File manages a file"
// is "Manages a file". Where it is not certain that a sentence remains, the
// comment is left alone.
func unnamed(name, comment string) string {
	rest, ok := strings.CutPrefix(comment, name)
	if !ok || strings.TrimLeft(rest, " \n") == rest {
		return comment
	}
	rest = strings.TrimLeft(rest, " \n")
	words := strings.Fields(rest)
	if len(words) < 2 {
		return comment
	}
	first, second := words[0], words[1]
	switch {
	case first == "is" || first == "are":
		if slices.Contains(openers, second) || isParticiple(second) || first == "are" && endsInS(second) {
			return capital(strings.TrimLeft(rest[len(first):], " \n"))
		}
	case slices.Contains(verbs, first), endsInS(first) && slices.Contains(objects, second):
		return capital(rest)
	}
	return comment
}

// endsInS reports whether a word looks like a verb that follows a name, or like a
// plural.
func endsInS(word string) bool {
	return strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") &&
		!slices.Contains(neither, word)
}

func isParticiple(word string) bool {
	return slices.Contains(participles, word) || strings.HasSuffix(word, "ed")
}

func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// snakeCase writes a Go field name as the name of an attribute, as package
// runtime does; a test holds the two together.
func snakeCase(field string) string {
	runes := []rune(field)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
