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

// Script runs each file that the pattern matches as a test of its own, beside the
// others. A file is a txtar archive: a script, then the files of a configuration.
//
//	# A note is written, changed by somebody else, and repaired.
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
// Each line of the script is a command; "#" begins a comment. Words in single
// quotes may have spaces and backslashes. $WORK is a folder of the test, in the
// script and in the files. The commands are:
//
//	use NAME…          files of the archive replace those of the configuration that
//	                   have the same base name; the name of a folder is all in it
//	var NAME VALUE     gives a variable a value: JSON, or else text
//	apply              plans and applies
//	plan               plans; "plan empty" and "plan changes" say what is expected,
//	                   "plan ADDRESS ACTION…" what is planned for these objects
//	refresh            records what is there
//	destroy            removes everything
//	import ADDRESS ID  takes an object over
//	taint ADDRESS      has an object replaced by the next apply
//	forget ADDRESS     drops an object from the state
//	state ADDRESS      is in the state; after it may stand "absent" or "tainted"
//	state ADDRESS.ATTRIBUTE == VALUE
//	                   compares the text of an attribute, "list.0.name" for one
//	                   inside; "!=" is for another text, "~" for a regular
//	                   expression, "absent" for null
//	output NAME == VALUE
//	                   the same for an output
//	write FILE TEXT    writes a file, as somebody else would; "@NAME" in place of
//	                   the text is a file of the archive
//	remove FILE        removes a file or a folder, as somebody else would
//
// "! COMMAND 'REGEXP'" is a command that fails with such an error. An ACTION is
// one of create, read, update, replace, delete, forget, no-op.
//
// The configuration begins as the files of the archive that are in no folder, and
// those below "modules". In the end everything is destroyed. Errors begin with the
// file and the line of the script. EnvEngine is not looked at: scripts run on the
// engine in this process.
func Script(t *testing.T, pattern string, factories map[string]func() (tfplugin.ProviderServer, error)) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("the pattern of the scripts: %s", err)
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

// script is a parsed file.
type script struct {
	commands []command
	files    map[string][]byte
}

// command is one line of a script.
type command struct {
	at    string // file:line
	fails bool
	// want is what the error of a command that fails has to match.
	want string
	name string
	args []string
}

// parseScript reads an archive. The folder takes the place of $WORK.
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
				return nil, fmt.Errorf("%s: after ! come a command and what its error has to match", c.at)
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

// splitWords cuts a line at white space that is not in single quotes, up to a
// comment.
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
