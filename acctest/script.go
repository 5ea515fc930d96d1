package acctest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/tools/txtar"
)

// Script runs each file that matches the pattern as a parallel subtest, with the providers of
// the factories. A file is a txtar archive: a script, followed by the files of a configuration.
//
//	# A note is created, changed outside of Terraform, and repaired.
//	apply
//	plan empty
//	state demo_note.this.lines == 1
//	write $WORK/note 'scribble'
//	plan demo_note.this update
//	apply
//	use longer
//	! apply 'too long'
//
//	-- main.tf --
//	resource "demo_note" "this" {
//	  path = "$WORK/note"
//	  text = "one\n"
//	}
//	-- longer/main.tf --
//	…
//
// Each line of the script is a command; a word that begins with "#" begins a comment. Words
// in single quotes may contain spaces and "#". $WORK is the directory of the test, in the script
// and in the files. The commands are:
//
//	use NAME…          adds a file of the archive to the configuration, or replaces
//	                   the file with the same base name; the name of a directory
//	                   selects all files in it
//	var NAME VALUE     sets a variable; VALUE is JSON, or else plain text
//	apply              plans and applies
//	plan               plans; "plan empty", "plan changes" and
//	                   "plan ADDRESS ACTION…" check the result
//	refresh            updates the state from the real objects
//	destroy            destroys everything
//	import ADDRESS ID  imports an object
//	taint ADDRESS      marks an object for replacement by the next apply
//	forget ADDRESS     removes an object from the state
//	state ADDRESS      checks that the object is in the state; "absent" or
//	                   "tainted" may follow
//	state ADDRESS.ATTRIBUTE == VALUE
//	                   compares the text of an attribute, "list.0.name" for a nested
//	                   one; "!=" checks for inequality, "~" matches a regular
//	                   expression, "absent" checks for null
//	output NAME == VALUE
//	                   compares an output in the same way, a list or map as JSON;
//	                   "absent" checks that the output does not exist
//	write FILE TEXT    writes a file outside of Terraform; "@NAME" instead of the
//	                   text is a file of the archive
//	remove FILE        removes a file or a directory outside of Terraform
//
// "! COMMAND 'REGEXP'" expects that the command fails with a matching error. An ACTION
// is one of create, read, update, replace, delete, forget, no-op.
//
// The initial configuration consists of the files of the archive that are in no directory
// and those below "modules". At the end, the objects in the state are destroyed. Errors
// of commands start with the file and line of the script. Scripts run on the engine in the
// process of the test, regardless of EnvEngine.
func Script(t *testing.T, pattern string, factories map[string]func() (tfplugin.ProviderServer, error)) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("invalid pattern of script files: %s", err)
	}
	if len(names) == 0 {
		t.Fatalf("no script matches %s", pattern)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := runScript(t, name, text, t.TempDir(), factories); err != nil {
				t.Fatal(err)
			}
		})
	}
}

type script struct {
	commands []command
	files    map[string][]byte
}

// command is one line of a script.
type command struct {
	at    string // file:line
	fails bool
	// want is the pattern that the error of a failing command must match.
	want string
	name string
	args []string
}

// parseScript parses an archive and replaces $WORK with work.
func parseScript(name string, text []byte, work string) (*script, error) {
	archive := txtar.Parse(text)
	out := &script{files: make(map[string][]byte, len(archive.Files))}
	for _, file := range archive.Files {
		out.files[path.Clean(file.Name)] = []byte(strings.ReplaceAll(string(file.Data), "$WORK", work))
	}
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		c := command{at: fmt.Sprintf("%s:%d", name, i+1)}
		words, err := splitWords(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.at, err)
		}
		for j := range words {
			words[j] = strings.ReplaceAll(words[j], "$WORK", work)
		}
		if len(words) > 0 && words[0] == "!" {
			c.fails, words = true, words[1:]
			if len(words) < 2 {
				return nil, fmt.Errorf("%s: ! must be followed by a command and the pattern of its error", c.at)
			}
			c.want, words = words[len(words)-1], words[:len(words)-1]
		}
		if len(words) == 0 {
			continue
		}
		c.name, c.args = words[0], words[1:]
		out.commands = append(out.commands, c)
	}
	if len(out.commands) == 0 {
		return nil, fmt.Errorf("%s: the script has no commands", name)
	}
	return out, nil
}

// splitWords splits a line at white space outside of single quotes, up to a comment.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quoted := false, false
	end := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, inWord = !quoted, true
		case quoted:
			word.WriteRune(r)
		case r == '#' && !inWord:
			return words, nil
		case r == ' ' || r == '\t' || r == '\r':
			end()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote is not closed: %s", line)
	}
	end()
	return words, nil
}
