package main

import (
	"go/doc/comment"
	"regexp"
	"strings"
)

// markdown turns a Go doc comment into Markdown. Lines of a paragraph are
// joined; lists and code keep their form; a heading is a paragraph in bold, as
// the headings of a page are not the comment's. A link to a field is the name of
// its attribute, one to anything else of Go is its name in code.
//
// What is Markdown in the comment already, as words in backquotes, stays as it
// is: a comment is never escaped.
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

// blank is a line of nothing but the indentation of a list's item.
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

// line is running text.
func (p *goPackage) line(texts []comment.Text) string {
	var b strings.Builder
	for _, t := range texts {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString("*" + string(t) + "*")
		case *comment.Link:
			if t.Auto { // perhaps inside a link that is Markdown already
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

// attribute is the name in configuration of a struct's field.
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
