package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Kinds of mutants.
const (
	boundary   = "boundary"   // < becomes <=
	negation   = "negation"   // == becomes !=, !x becomes x
	arithmetic = "arithmetic" // + becomes -
	logic      = "logic"      // && becomes ||
	boolean    = "boolean"    // true becomes false
	integer    = "integer"    // 1 becomes 2, or 0
	branch     = "branch"     // the condition of an if or a case is never true
	nilError   = "nil error"  // an error is not returned
	removal    = "removal"    // a call or an assignment is left out
)

type swap struct {
	kind string
	to   token.Token
}

var swaps = map[token.Token][]swap{
	token.LSS:  {{boundary, token.LEQ}, {negation, token.GEQ}},
	token.LEQ:  {{boundary, token.LSS}, {negation, token.GTR}},
	token.GTR:  {{boundary, token.GEQ}, {negation, token.LEQ}},
	token.GEQ:  {{boundary, token.GTR}, {negation, token.LSS}},
	token.EQL:  {{negation, token.NEQ}},
	token.NEQ:  {{negation, token.EQL}},
	token.LAND: {{logic, token.LOR}},
	token.LOR:  {{logic, token.LAND}},

	token.ADD: {{arithmetic, token.SUB}},
	token.SUB: {{arithmetic, token.ADD}},
	token.MUL: {{arithmetic, token.QUO}},
	token.QUO: {{arithmetic, token.MUL}},
	token.REM: {{arithmetic, token.MUL}},
	token.SHL: {{arithmetic, token.SHR}},
	token.SHR: {{arithmetic, token.SHL}},
	token.AND: {{arithmetic, token.OR}},
	token.OR:  {{arithmetic, token.AND}},
	token.INC: {{arithmetic, token.DEC}},
	token.DEC: {{arithmetic, token.INC}},

	token.ADD_ASSIGN: {{arithmetic, token.SUB_ASSIGN}},
	token.SUB_ASSIGN: {{arithmetic, token.ADD_ASSIGN}},
	token.MUL_ASSIGN: {{arithmetic, token.QUO_ASSIGN}},
	token.QUO_ASSIGN: {{arithmetic, token.MUL_ASSIGN}},
	token.SHL_ASSIGN: {{arithmetic, token.SHR_ASSIGN}},
	token.SHR_ASSIGN: {{arithmetic, token.SHL_ASSIGN}},
	token.AND_ASSIGN: {{arithmetic, token.OR_ASSIGN}},
	token.OR_ASSIGN:  {{arithmetic, token.AND_ASSIGN}},
}

// collector finds the mutants of a package.
type collector struct {
	pkg   string
	found []mutant
	seen  map[string]int // number of mutants that differ only in Nth

	// Fields of the current declaration.
	src     []byte
	file    *token.File
	fn      string
	results *ast.FieldList // of the innermost function
	inLoop  bool           // in the condition of a loop
}

// collect returns the mutants of the files of a package, in the order of the
// source. Generated files have none. Paths are relative to dir, if possible.
func collect(dir string, pkg goPackage) ([]mutant, error) {
	c := collector{pkg: pkg.ImportPath, seen: map[string]int{}}
	for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles) {
		path := filepath.Join(pkg.Dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if rel, err := filepath.Rel(dir, path); err == nil {
			path = rel
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if !ast.IsGenerated(syntax) {
			c.src, c.file = src, fset.File(syntax.FileStart)
			c.declarations(syntax.Decls)
		}
	}
	return c.found, nil
}

func (c *collector) declarations(decls []ast.Decl) {
	for _, decl := range decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			c.fn, c.results = decl.Name.Name, decl.Type.Results
			if decl.Recv != nil {
				c.fn = receiver(decl.Recv.List[0].Type) + "." + c.fn
			}
			if decl.Body != nil {
				c.walk(decl.Body)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok {
					c.fn, c.results = value.Names[0].Name, nil
					for _, v := range value.Values {
						c.walk(v)
					}
				}
			}
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func (c *collector) walk(n ast.Node) { ast.Inspect(n, c.visit) }

// visit adds the mutants of a node. It reports whether its children are still to
// be visited.
func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		outer := c.results
		c.results = n.Type.Results
		c.walk(n.Body)
		c.results = outer
		return false
	case *ast.ForStmt: // changes that make most loops endless are left out: each costs a timeout
		if n.Init != nil {
			c.walk(n.Init)
		}
		if n.Cond != nil {
			c.inLoop = true
			c.walk(n.Cond)
			c.inLoop = false
		}
		c.walk(n.Body)
		return false
	case *ast.BlockStmt:
		c.remove(n.List)
	case *ast.CaseClause:
		c.remove(n.Body)
	case *ast.CommClause:
		c.remove(n.Body)
	case *ast.IfStmt:
		c.never(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, clause := range n.Body.List {
				for _, cond := range clause.(*ast.CaseClause).List {
					c.never(cond)
				}
			}
		}
	case *ast.ReturnStmt:
		c.returned(n)
	case *ast.BinaryExpr:
		if n.Op != token.ADD || !isString(n.X) && !isString(n.Y) {
			c.swap(n, n.OpPos, n.Op)
		}
	case *ast.IncDecStmt:
		c.swap(n, n.TokPos, n.Tok)
	case *ast.AssignStmt:
		c.swap(n, n.TokPos, n.Tok)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			c.add(negation, n, n.OpPos, n.X.Pos(), "")
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			c.add(boolean, n, n.Pos(), n.End(), "false")
		case "false":
			c.add(boolean, n, n.Pos(), n.End(), "true")
		}
	case *ast.BasicLit:
		if value, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
			c.add(integer, n, n.Pos(), n.End(), strconv.FormatInt(value+1, 10))
			if value > 0 {
				c.add(integer, n, n.Pos(), n.End(), strconv.FormatInt(value-1, 10))
			}
		}
	}
	return true
}

func isString(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isString(e.X) || isString(e.Y))
	}
	return false
}

func (c *collector) swap(n ast.Node, at token.Pos, op token.Token) {
	for _, s := range swaps[op] {
		c.add(s.kind, n, at, at+token.Pos(len(op.String())), s.to.String())
	}
}

// never adds a mutant whose condition is always false. It still contains cond, so that
// the variables in it remain used.
func (c *collector) never(cond ast.Expr) {
	c.add(branch, cond, cond.Pos(), cond.End(), "("+c.source(cond)+") && false")
}

func (c *collector) returned(n *ast.ReturnStmt) {
	if len(n.Results) == 0 || c.results.NumFields() != len(n.Results) {
		return
	}
	kind, ok := c.results.List[len(c.results.List)-1].Type.(*ast.Ident)
	last := n.Results[len(n.Results)-1]
	if value, isIdent := last.(*ast.Ident); !ok || kind.Name != "error" || isIdent && value.Name == "nil" {
		return
	}
	c.add(nilError, n, last.Pos(), last.End(), "nil")
}

// remove adds mutants that omit one call or assignment each. Locks are kept, because
// without them a test usually ends by a timeout.
func (c *collector) remove(list []ast.Stmt) {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.ExprStmt:
			call, ok := stmt.X.(*ast.CallExpr)
			if !ok {
				continue
			}
			switch name(call.Fun) {
			case "panic", "Lock", "Unlock", "RLock", "RUnlock":
				continue
			}
		case *ast.AssignStmt:
			blank := func(e ast.Expr) bool { return name(e) == "_" }
			if stmt.Tok == token.DEFINE || !slices.ContainsFunc(stmt.Lhs, func(e ast.Expr) bool { return !blank(e) }) {
				continue
			}
		default:
			continue
		}
		c.add(removal, stmt, stmt.Pos(), stmt.End(), "{}")
	}
}

// name returns the last name of an expression such as x.y.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func (c *collector) source(n ast.Node) string {
	return string(c.src[c.file.Offset(n.Pos()):c.file.Offset(n.End())])
}

// add adds the mutant of n in which text replaces the source from start to end.
func (c *collector) add(kind string, n ast.Node, start, end token.Pos, text string) {
	if c.inLoop && kind != boundary {
		return
	}
	first, last := c.file.Offset(n.Pos()), c.file.Offset(n.End())
	at := c.file.Position(start)
	m := mutant{
		Package: c.pkg, Func: c.fn, Kind: kind, Before: brief(c.source(n)),
		File: at.Filename, Line: at.Line, Column: at.Column,
		start: c.file.Offset(start), end: c.file.Offset(end), text: text,
	}
	m.After = brief(string(c.src[first:m.start]) + text + string(c.src[m.end:last]))
	id := m.id()
	m.Nth = c.seen[id]
	c.seen[id]++
	c.found = append(c.found, m)
}

// mutant is one change to one file.
type mutant struct {
	Package string `json:"package"` // import path
	Func    string `json:"func"`    // function, method as Type.Name, or declared name
	Kind    string `json:"kind"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Nth     int    `json:"nth"` // index among mutants that are otherwise equal
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`

	// The bytes from start to end of File become text.
	start, end int
	text       string
}

// id identifies the mutant in other versions of the package.
func (m *mutant) id() string {
	return fmt.Sprintf("%s\n%s\n%s\n%s\n%s\n%d", m.Package, m.Func, m.Kind, m.Before, m.After, m.Nth)
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s: %s → %s", m.File, m.Line, m.Column, m.Func, m.Kind, m.Before, m.After)
}

// apply returns src with the change.
func (m *mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.text), src[m.end:])
}

// shuffle sorts the mutants into the order in which they are tried. The relative order of
// two mutants depends only on the seed and their IDs.
func shuffle(mutants []mutant, seed int) {
	key := func(m *mutant) uint64 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", seed, m.id()))
		return binary.BigEndian.Uint64(sum[:])
	}
	slices.SortFunc(mutants, func(a, b mutant) int { return cmp.Compare(key(&a), key(&b)) })
}

// brief returns source text in one line of limited length.
func brief(text string) string {
	const limit = 80
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > limit {
		runes = append(runes[:limit-1], '…')
	}
	return string(runes)
}
