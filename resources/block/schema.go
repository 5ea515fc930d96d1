package block

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Block manages some lines of a text file that somebody else owns, as a package, a
// program or a person. Two comments mark them: `# BEGIN posix_file_block NAME` above, and
// `# END posix_file_block NAME` below.
//
// Everything else in the file stays as it is, byte for byte, and so do its mode and owner.
// A file may have any number of blocks, from any number of configurations that are
// applied at the same time. Lines end as those of the file do. When the resource is
// destroyed the block is taken out, and the file is as if it had never been there.
//
// A block with the same name, content and comments that is in the file already is
// adopted when the resource is created. One that differs is an error: import it, so that
// a plan shows what would change. Markers that do not fit together, as one without
// the other, are an error that says in which lines they are. For a file that is
// managed as a whole use `posix_file`, and not both.
type Block struct {
	// The host that the file is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new block.
	Host *string

	// The absolute path of the file, without `.`, `..` or double slashes. A symbolic
	// link is not followed: give the path that it leads to. Changing it makes a new
	// block.
	Path target.Path

	// What the block is called in its markers, which tells it from others in the same
	// file: letters and digits, with single dots, dashes and underscores between.
	// Changing it makes a new block.
	Name string

	// The lines of the block. A newline at the end makes no difference.
	Content Content

	// How a comment begins in this file, such as `#`, `//`, `;`, `--`, `/*` or `<!--`. The
	// default is `#`.
	Comment string

	// How a comment ends, where the end of the line does not end it, such as `*/` or
	// `-->`. The default is the empty text.
	CommentEnd *string

	// Where a new block is put: at the `start` or at the `end` of the file; below the
	// last line that matches a regular expression of RE2, as `after ^\[server\]$`; or
	// above the first one that does, as `before ^Match `. That no line matches is an error;
	// lines of other blocks do not count. It only matters when the block is created: one
	// that was moved by hand is left where it is. The default is `end`.
	Position Position

	// The permissions with which a file is created that does not exist when the block
	// is, such as `0644`. The file is left, empty, when the block is destroyed. When
	// unset, a file that does not exist is an error.
	CreateMode *host.Mode
}

// Output is what is known of a block that exists.
type Output struct {
	Host       *string `tf:",computed"`
	Path       target.Path
	Name       string
	Content    Content
	Comment    string
	CommentEnd *string
}

// Identity tells one block from another.
type Identity struct {
	// The host: a name in the provider's configuration, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. For import it can
	// be left out; it is then the provider's default host.
	Host *string
	// The absolute path of the file.
	Path target.Path
	// The name of the block.
	Name string
}

// Content is lines of text.
type Content string

// SemanticEquals says that a newline at the end makes no difference.
func (c Content) SemanticEquals(other Content) bool { return c.lines() == other.lines() }

// lines is the content with a newline after each line.
func (c Content) lines() string {
	if c == "" || strings.HasSuffix(string(c), "\n") {
		return string(c)
	}
	return string(c) + "\n"
}

// Position is where a block is put, as it is written.
type Position struct {
	text string
	place
}

// MarshalText is the position as it was written.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText refuses what is none.
func (p *Position) UnmarshalText(text []byte) (err error) {
	p.text, p.place = string(text), place{start: string(text) == "start"}
	word, expression, _ := strings.Cut(p.text, " ")
	switch {
	case p.text == "start" || p.text == "end":
		return nil
	case word != "after" && word != "before":
		return errors.New("a position is start, end, or after or before with a space and a regular expression, as in \"after ^<body>$\"")
	case expression == "":
		return fmt.Errorf("there is no expression behind %s", word)
	}
	compiled, err := regexp.Compile(expression)
	if word == "after" {
		p.after = compiled
	} else {
		p.before = compiled
	}
	return err
}

var (
	_ runtime.TypedResource[Block, *Output, *target.Hosts]        = (*Block)(nil)
	_ runtime.Defaulter                                           = (*Block)(nil)
	_ runtime.Constrainer                                         = (*Block)(nil)
	_ runtime.InputValidator[*target.Hosts]                       = (*Block)(nil)
	_ runtime.InputEquivalencer[Block]                            = (*Block)(nil)
	_ runtime.ResourcePlanModifier[Block, *Output, *target.Hosts] = (*Block)(nil)
	_ runtime.Identifier[Identity, *Output, *target.Hosts]        = (*Block)(nil)
	_ runtime.ImportIDParser[Identity]                            = (*Block)(nil)
	_ runtime.SemanticEqualer[Content]                            = Content("")
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Block, *Output, *target.Hosts]()
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Block) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Block) ReplaceFields() []string { return []string{"host", "path", "name"} }

// Defaults is part of [runtime.Defaulter].
func (b *Block) Defaults() {
	b.Comment = "#"
	b.CommentEnd = new("")
	b.Position = Position{text: "end"}
}

// Constraints is part of [runtime.Constrainer].
func (*Block) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("name", "", checkName),
		runtime.Check("content", "", checkContent),
		runtime.Check("comment", "", checkComment),
		runtime.Check("comment_end", "", func(text string) error {
			if text == "" {
				return nil
			}
			return checkComment(text)
		}),
	}
}

// validName has nothing that a comment of some language ends with, nor what tells a
// name from a path in an import id.
var validName = regexp.MustCompile(`^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$`)

func checkName(name string) error {
	if len(name) > 100 || !validName.MatchString(name) {
		return errors.New("a name of a block has up to 100 letters and digits, with single dots, dashes and underscores between them")
	}
	return nil
}

func checkContent(content Content) error {
	if i := strings.IndexAny(string(content), "\r\x00"); i >= 0 {
		return fmt.Errorf("line %d has a carriage return or a NUL byte. Write newlines alone: the block gets the line ends that the file has",
			1+strings.Count(string(content[:i]), "\n"))
	}
	for l := range lines([]byte("\n" + string(content))) { // no mark at the begin is passed over
		if _, _, _, is := l.marker(); is {
			return fmt.Errorf("line %d is a marker, by which the end of the block would be mistaken", l.number-1)
		}
	}
	return nil
}

func checkComment(text string) error {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f {
			return errors.New("what begins or ends a comment is a word of ASCII characters without spaces, such as #, //, /* or -->")
		}
	}
	if text == "" {
		return errors.New("what begins or ends a comment cannot be empty")
	}
	return nil
}

// EquivalentInput is part of [runtime.InputEquivalencer]. What only matters when a
// block is created never changes one that exists.
func (*Block) EquivalentInput(_ context.Context, field string, _, _ Block) bool {
	return field == "position" || field == "create_mode"
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier].
func (*Block) ModifyResourcePlan(req runtime.ResourcePlanRequest[Block, *Output, *target.Hosts], _ *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.key())
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Block) Identity(_ *target.Hosts, out *Output) Identity {
	return Identity{Host: out.Host, Path: out.Path, Name: out.Name}
}

// ParseImportID is part of [runtime.ImportIDParser]. No name has a number sign.
func (*Block) ParseImportID(id string) (Identity, error) {
	i := strings.LastIndexByte(id, '#')
	if i < 0 {
		return Identity{}, errors.New("write the path and the name of the block, as /etc/hosts#web, or the host before them, as local:/etc/hosts#web")
	}
	at, err := target.ParseImportID(id[:i])
	if err != nil {
		return Identity{}, err
	}
	return Identity{Host: at.Host, Path: at.Path, Name: id[i+1:]}, checkName(id[i+1:])
}
