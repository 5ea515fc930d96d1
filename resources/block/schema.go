package block

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Block manages a block of lines in a text file that packages, programs or users edit
// as well. Two comments mark the block: `# BEGIN posix_file_block NAME` above it and `#
// END posix_file_block NAME` below it.
//
// The rest of the file stays unchanged, byte for byte, and so do its mode, owner and
// access control list (ACL). A change is an error if the host shows an ACL but cannot keep
// it. On a host with SFTP only, or whose `ls` does not show ACLs, such as that of
// busybox, the ACL is lost.
//
// A file of up to 16 MiB may have any number of blocks, even from different
// configurations that are applied at the same time. The block has the line endings of
// the file. To manage a whole file, use `posix_file`; do not use both for one file.
//
// Every plan detects drift of the block, and the next apply repairs it. An update fails
// if it would replace a block that was changed after the plan was made: a new plan shows
// that change.
//
// On create, an existing block with the same name, content and comments is adopted. A
// block with the same name that differs is an error: import it to see in a plan what
// would change. Unbalanced markers of the block, such as BEGIN without END, are an error
// that names their lines.
//
// On destroy, the block is removed, which leaves the rest of the file as if the block
// had never existed.
type Block struct {
	// Host to manage the file on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Absolute path of the file, without `.`, `..`, double slashes or a trailing slash.
	// Symbolic links are not followed: use the path of the target. Changing this forces
	// a new resource.
	Path address.Path

	// Name of the block in its markers, unique in the file: up to 100 characters, which are
	// letters and digits, with single dots, dashes and underscores between them. Changing
	// this forces a new resource.
	Name string

	// Lines of the block. The newline at the end of the last line can be omitted, unless
	// this line is empty.
	Content Content

	// String that begins a comment in this file, such as `#`, `//`, `;`, `--`, `/*` or
	// `<!--`. Defaults to `#`.
	Comment string

	// String that ends a comment, if the end of the line does not end it, such as `*/` or
	// `-->`. Defaults to an empty string.
	CommentEnd *string

	// Where to insert a new block:
	//   - `start` or `end`: at the start or the end of the file.
	//   - `after REGEX`: below the last line that matches the regular expression (RE2
	//     syntax), such as `after ^Port `. Double each backslash in a string of the
	//     configuration: `"after ^\\[server\\]$"`. Brackets without backslashes match
	//     one of the characters in them.
	//   - `before REGEX`: above the first line that matches, such as `before ^Match `.
	//
	// It is an error if no line matches; lines of other blocks are not searched. Only
	// used on create: a block that was moved by hand stays where it is. Defaults to
	// `end`.
	Position Position

	// Permissions of the file if it does not exist and has to be created, such as `0644`.
	// Its directory must exist. On destroy, the file is kept even if it is then empty. If
	// unset, a missing file is an error.
	CreateMode *host.Mode

	lifecycle.Links
}

// Output is the state of a managed block.
type Output struct {
	Host       *string `tf:",computed"`
	Path       address.Path
	Name       string
	Content    Content
	Comment    string
	CommentEnd *string
}

// Identity identifies a block.
type Identity struct {
	// Host of the file: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host` on import.
	Host *string
	// Absolute path of the file.
	Path address.Path
	// Name of the block.
	Name string
}

// Content is lines of text.
type Content string

// SemanticEquals reports whether the contents have the same lines.
func (c Content) SemanticEquals(other Content) bool { return c.lines() == other.lines() }

// lines returns the content with a newline after each line.
func (c Content) lines() string {
	if c == "" || strings.HasSuffix(string(c), "\n") {
		return string(c)
	}
	return string(c) + "\n"
}

// Position is the place for a new block, with the configured text of the attribute.
type Position struct {
	text string
	place
}

// MarshalText implements [encoding.TextMarshaler].
func (p Position) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText returns an error for a text that is not a position.
func (p *Position) UnmarshalText(text []byte) (err error) {
	p.text, p.place = string(text), place{start: string(text) == "start"}
	word, expression, _ := strings.Cut(p.text, " ")
	switch {
	case p.text == "start" || p.text == "end":
		return nil
	case word != "after" && word != "before":
		return errors.New("a position must be start, end, or after or before, followed by a space and a regular expression, such as \"after ^<body>$\"")
	case expression == "":
		return fmt.Errorf("%q must be followed by a space and a regular expression", word)
	}
	compiled, err := regexp.Compile(expression)
	if word == "after" {
		p.after = compiled
	} else {
		p.before = compiled
	}
	if err != nil {
		err = fmt.Errorf("%w. To find a character that has a special meaning in regular expressions, such as [ or (, escape it with a backslash, "+
			`written as two backslashes in a configuration string: "after ^\\[server\\]$"`, err)
	}
	return err
}

var (
	_ runtime.Defaulter                                              = (*Block)(nil)
	_ runtime.Constrainer                                            = (*Block)(nil)
	_ runtime.InputEquivalencer[Block]                               = (*Block)(nil)
	_ runtime.ResourcePlanModifier[Block, *Output, *lifecycle.Scope] = (*Block)(nil)
	_ runtime.Identifier[Identity, *Output, *lifecycle.Scope]        = (*Block)(nil)
	_ runtime.ImportIDParser[Identity]                               = (*Block)(nil)
	_ runtime.SemanticEqualer[Content]                               = Content("")
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Block, *Output]()
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Block) ReplaceFields() []string { return []string{"host", "path", "name"} }

// Defaults implements [runtime.Defaulter].
func (b *Block) Defaults() {
	b.Comment = "#"
	b.CommentEnd = new("")
	b.Position = Position{text: "end"}
}

// Constraints implements [runtime.Constrainer].
func (*Block) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("name", "", checkName),
		runtime.Check("content", "", checkContent),
		runtime.Check("comment", "", checkComment),
		runtime.Check("position", "", checkPosition),
		runtime.Check("comment_end", "", func(text string) error {
			if text == "" {
				return nil
			}
			return checkComment(text)
		}),
	}
}

// validName matches the names of blocks. It excludes characters that end a comment in some
// language, and the separator of import IDs.
var validName = regexp.MustCompile(`^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$`)

func checkName(name string) error {
	if len(name) > 100 || !validName.MatchString(name) {
		return errors.New("a block name has up to 100 characters, which are letters and digits, with single dots, dashes and underscores between them")
	}
	return nil
}

// section matches a position with the unescaped heading of a section of an INI file. As a
// regular expression, the heading matches every line with one of its characters.
var section = regexp.MustCompile(`^(after|before) \^?(\[[A-Za-z_]{2,}[A-Za-z0-9_. ]*\])\$?$`)

func checkPosition(p Position) error {
	found := section.FindStringSubmatch(p.text)
	if found == nil {
		return nil
	}
	return fmt.Errorf("%s is a regular expression for one of the characters in the brackets. To find the line %[1]s, escape each bracket with a backslash, "+
		`written as two backslashes in a configuration string: "%[2]s ^\\%[3]s\\]$". To find one of the characters, write (%[1]s)`,
		found[2], found[1], strings.TrimSuffix(found[2], "]"))
}

func checkContent(content Content) error {
	if i := strings.IndexAny(string(content), "\r\x00"); i >= 0 {
		return fmt.Errorf("line %d has a carriage return or a NUL byte. Use newlines only: the block gets the line endings of the file",
			1+strings.Count(string(content[:i]), "\n"))
	}
	for l := range lines([]byte("\n" + string(content))) { // the newline in front makes a byte order mark part of a line
		if _, _, _, isMarker := l.marker(); isMarker {
			return fmt.Errorf("line %d looks like a marker of a block, which is not allowed in the content of a block. Change the line", l.number-1)
		}
	}
	return nil
}

func checkComment(text string) error {
	switch {
	case strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return errors.New("a comment delimiter must consist of ASCII characters without spaces, such as #, //, /* or -->")
	case text == "":
		return errors.New("a comment delimiter must not be empty")
	}
	return nil
}

// EquivalentInput implements [runtime.InputEquivalencer]. Inputs that are only used on
// create never change an existing block.
func (*Block) EquivalentInput(field string, _, _ Block) bool {
	return field == "position" || field == "create_mode"
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. An update does not change
// outputs that are not configured.
func (*Block) ModifyResourcePlan(runtime.ResourcePlanRequest[Block, *Output, *lifecycle.Scope], *runtime.ResourcePlanResponse) error {
	return nil
}

// Identity implements [runtime.Identifier].
func (*Block) Identity(_ *lifecycle.Scope, out *Output) Identity {
	return Identity{Host: out.Host, Path: out.Path, Name: out.Name}
}

// ParseImportID implements [runtime.ImportIDParser]. It parses path#name or host:path#name.
// The name contains no number sign.
func (*Block) ParseImportID(id string) (Identity, error) {
	i := strings.LastIndexByte(id, '#')
	if i < 0 {
		return Identity{}, errors.New("use the path and the name of the block, such as /etc/hosts#web, or with a host, such as local:/etc/hosts#web")
	}
	at, err := address.ParseImportID(id[:i])
	if err != nil {
		return Identity{}, err
	}
	return Identity{Host: at.Host, Path: at.Path, Name: id[i+1:]}, checkName(id[i+1:])
}
