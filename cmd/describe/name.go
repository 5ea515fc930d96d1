package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// openers has words that may begin a description after "is": "Path is the absolute path"
// becomes "The absolute path".
var openers = []string{
	"a", "after", "all", "an", "any", "anything", "before", "each", "either", "every", "everything", "how", "nothing", "one",
	"something", "the", "what", "whatever", "when", "where", "whether", "which", "whichever", "who", "whose",
}

// participles has words that may begin a description after "is", like all words that end
// in "ed": "Owner is given by the server" becomes "Given by the server".
var participles = []string{
	"built", "chosen", "drawn", "found", "given", "held", "kept", "known", "made", "meant", "put", "read", "run", "sent", "set", "shown",
	"spent", "taken", "told", "understood", "written",
}

// verbs has words that are taken for the verb after a name, whatever follows, because they
// are rarely nouns.
var verbs = []string{
	"adds", "allows", "becomes", "computes", "configures", "contains", "converts", "creates", "decides", "decodes", "defines", "deletes",
	"describes", "determines", "disables", "enables", "encodes", "ensures", "finds", "generates", "gives", "has", "holds", "identifies",
	"indicates", "installs", "keeps", "makes", "manages", "opens", "parses", "prevents", "proves", "provides", "reads", "removes", "renders",
	"replaces", "represents", "requires", "returns", "says", "selects", "sends", "serves", "specifies", "splits", "takes", "tells",
	"turns", "verifies", "waits", "writes",
}

// objects has words that may follow a verb but not a plural noun: in "Limit bounds the
// size", bounds is a verb; in "Limit bounds that apply" it is a noun.
var objects = []string{
	"a", "all", "an", "any", "each", "every", "how", "it", "itself", "its", "no", "one", "the", "their", "them", "this", "what", "where", "whether",
	"which", "who",
}

// notVerbs has words that end in s and may precede objects, but are neither
// verbs that begin a description nor plurals.
var notVerbs = []string{
	"afterwards", "always", "as", "besides", "does", "is", "its", "perhaps", "sometimes", "this", "towards", "was",
}

// trimName removes the Go name at the beginning of a comment, because the
// schema has a different name: "File manages a file" becomes "Manages a file". If
// the rest might not be a sentence, it returns the comment unchanged.
func trimName(name, comment string) string {
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

// endsInS reports whether a word looks like a verb in the third person or like a
// plural.
func endsInS(word string) bool {
	return strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") &&
		!slices.Contains(notVerbs, word)
}

func isParticiple(word string) bool {
	return slices.Contains(participles, word) || strings.HasSuffix(word, "ed")
}

func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// snakeCase returns the attribute name of a Go field, as package runtime does; a
// test compares the two.
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
