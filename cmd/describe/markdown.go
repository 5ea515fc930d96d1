package main

import (
	"go/doc/comment"
	"regexp"
	"strings"
)

// markdown converts a Go doc comment to Markdown. Lines of a paragraph are joined,
// lists and code blocks are kept, and headings become bold paragraphs. A link to a field
// becomes the name of its attribute in backquotes, and any other link to Go code becomes
// its text in backquotes.
//
// Markdown in the comment, such as words in backquotes, is not escaped.
func (p *goPackage) markdown(text string) string { return p.blocks(p.parse(text)) }

func (p *goPackage) parse(text string) []comment.Block {
	parser := comment.Parser{
		LookupPackage: func(name string) (string, bool) {
			importPath, ok := p.imports[name]
			return importPath, ok
		},
		LookupSym: func(recv, name string) bool {
			if recv == "" {
				return p.declared[name]
			}
			return p.declared[recv+"."+name] || p.attribute(recv, name) != ""
		},
	}
	return parser.Parse(text).Content
}

func (p *goPackage) blocks(blocks []comment.Block) string {
	var parts []string
	for _, b := range blocks {
		switch b := b.(type) {
		case *comment.Paragraph:
			parts = append(parts, p.line(b.Text))
		case *comment.Heading:
			parts = append(parts, "**"+p.line(b.Text)+"**")
		case *comment.Code:
			parts = append(parts, "```\n"+strings.TrimRight(b.Text, "\n")+"\n```")
		case *comment.List:
			parts = append(parts, p.list(b))
		}
	}
	return strings.Join(parts, "\n\n")
}

// blank matches a line that consists of the indentation of a list item.
var blank = regexp.MustCompile(`(?m)^ +$`)

func (p *goPackage) list(l *comment.List) string {
	items := make([]string, 0, len(l.Items))
	for _, item := range l.Items {
		marker := "- "
		if item.Number != "" {
			marker = item.Number + ". "
		}
		text := marker + p.blocks(item.Content)
		indented := strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(marker)))
		items = append(items, blank.ReplaceAllString(indented, ""))
	}
	if l.BlankBetween() {
		return strings.Join(items, "\n\n")
	}
	return strings.Join(items, "\n")
}

// line converts the text of a paragraph, heading or list item.
func (p *goPackage) line(texts []comment.Text) string {
	var b strings.Builder
	for _, t := range texts {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString("*" + string(t) + "*")
		case *comment.Link:
			if t.Auto { // may be inside a Markdown link
				b.WriteString(t.URL)
			} else {
				b.WriteString("[" + p.line(t.Text) + "](" + t.URL + ")")
			}
		case *comment.DocLink:
			name := p.line(t.Text)
			if t.ImportPath == "" && t.Recv != "" {
				if attribute := p.attribute(t.Recv, t.Name); attribute != "" {
					name = attribute
				}
			}
			b.WriteString("`" + name + "`")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// attribute returns the attribute name of a struct's field, or "".
func (p *goPackage) attribute(structName, field string) string {
	if s := p.structs[structName]; s != nil {
		for _, f := range s.fields {
			if f.name == field {
				return f.attribute
			}
		}
	}
	return ""
}
