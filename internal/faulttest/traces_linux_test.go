package faulttest_test

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// pieceSize is the length of the pieces of a secret that are searched for, in each
// encoding.
const pieceSize = 12

// secretMark marks content that only its owner may read, under any name.
const secretMark = "SECRET"

// needles has the secrets to search for.
type needles struct {
	pieces map[[pieceSize]byte]string
	likely []bool            // by shortcut: whether a piece has this shortcut
	whole  map[string]string // digests and decimal bytes of secrets, which are searched for as a whole
}

func newNeedles(secrets map[string]string) *needles {
	n := &needles{pieces: map[[pieceSize]byte]string{}, likely: make([]bool, 1<<22), whole: map[string]string{}}
	for name, secret := range secrets {
		for _, encoded := range encodings(strings.TrimPrefix(secret, secretMark)) { // the mark itself is not secret
			for i := range max(0, len(encoded)-pieceSize+1) {
				piece := []byte(encoded[i : i+pieceSize])
				n.pieces[[pieceSize]byte(piece)], n.likely[shortcut(piece)] = name, true
			}
		}
		n.whole[strings.Trim(fmt.Sprintf("%d", []byte(secret)), "[]")] = name
		for kind, sum := range digests(secret) {
			n.whole[hex.EncodeToString(sum)] = name + ": " + kind
			n.whole[strings.TrimRight(base64.StdEncoding.EncodeToString(sum), "=")] = name + ": " + kind
		}
	}
	return n
}

// shortcut returns a short hash of a piece, as a fast filter for large logs.
func shortcut(piece []byte) uint64 {
	return binary.LittleEndian.Uint64(piece) * 0x9e3779b97f4a7c15 >> 42
}

func encodings(secret string) []string {
	escaped, err := json.Marshal(secret)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	all := []string{
		secret, strings.Trim(string(escaped), `"`), strings.Trim(strconv.Quote(secret), `"`), url.QueryEscape(secret), url.PathEscape(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	// The base64 form of a part depends on its offset modulo three.
	for before := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte("  "[:before] + secret))
			all = append(all, text[(before+2)/3*4:])
		}
	}
	return all
}

func digests(secret string) map[string][]byte {
	md, s1, s256, s512 := md5.Sum([]byte(secret)), sha1.Sum([]byte(secret)), sha256.Sum256([]byte(secret)), sha512.Sum512([]byte(secret))
	return map[string][]byte{"MD5": md[:], "SHA-1": s1[:], "SHA-256": s256[:], "SHA-512": s512[:]}
}

// in returns the sorted names of the secrets in a text.
func (n *needles) in(text []byte) []string { return slices.Sorted(maps.Keys(n.find(text))) }

// find returns, for the name of each secret in the text, the offset of a match.
func (n *needles) find(text []byte) map[string]int {
	found := map[string]int{}
	note := func(name string, at int) {
		if _, ok := found[name]; !ok {
			found[name] = at
		}
	}
	for i := range max(0, len(text)-pieceSize+1) {
		if n.likely[shortcut(text[i:])] {
			if name, ok := n.pieces[[pieceSize]byte(text[i:])]; ok {
				note(name, i)
			}
		}
	}
	for needle, name := range n.whole {
		if at := bytes.Index(text, []byte(needle)); at >= 0 {
			note(name, at)
		}
	}
	return found
}

// mustNotBeIn fails the test if a text has a secret that is not allowed.
func (n *needles) mustNotBeIn(t *testing.T, where string, text []byte, allowed ...string) {
	t.Helper()
	for name, at := range n.find(text) {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s has %q: …%s…", where, name, text[max(0, at-300):min(len(text), at+300)])
		}
	}
}

// traces returns the texts that a run can leave secrets in: its output and all files of
// the directory, with the members of archives. The test fails if one of them is empty, or
// if the state or the log is missing.
func traces(t *testing.T, w *acctest.Workdir, printed map[string]string) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for name, text := range printed {
		texts[name] = []byte(text)
	}
	resourcetest.Must(t, filepath.WalkDir(w.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		texts[entry.Name()] = content
		if archive, zipErr := zip.NewReader(bytes.NewReader(content), int64(len(content))); zipErr == nil {
			for _, part := range archive.File {
				r, err := part.Open()
				if err != nil {
					return err
				}
				if texts[entry.Name()+":"+part.Name], err = io.ReadAll(r); err != nil {
					return err
				}
			}
		}
		return err
	}))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if len(texts[name]) == 0 {
			t.Errorf("%s is empty, so nothing was searched", name)
		}
	}
	for _, name := range []string{"terraform.tfstate", "log"} {
		if _, ok := texts[name]; !ok {
			t.Errorf("the directory has no file %s", name)
		}
	}
	return texts
}

// mustNotDisclose fails the test if the output or a file of the directory has a secret:
// configuration, state, its backups, plan files and logs.
func mustNotDisclose(t *testing.T, w *acctest.Workdir, printed map[string]string, secrets ...string) {
	t.Helper()
	named := map[string]string{}
	for _, secret := range secrets {
		named[secret] = secret
	}
	n := newNeedles(named)
	for name, text := range traces(t, w, printed) {
		n.mustNotBeIn(t, name, text)
	}
}

// places returns the places of secrets in a state or a plan in JSON: variables, outputs, and
// attributes of objects by address without keys.
func (n *needles) places(t *testing.T, text []byte) map[string]string {
	t.Helper()
	found := map[string][]string{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			at = objectAt(at, v)
			for name, v := range v {
				switch name {
				case "values", "attributes", "instances", "change", "before", "after", "resources": // parts of an object: keep its place
					walk(at, v)
				default:
					walk(strings.TrimPrefix(at+"."+name, "."), v)
				}
			}
		case []any:
			for _, v := range v {
				walk(at, v)
			}
		case string:
			// Private data is base64 of JSON that contains base64.
			var inner any
			if text, err := base64.StdEncoding.DecodeString(v); err == nil && json.Unmarshal(text, &inner) == nil {
				walk(at, inner)
				return
			}
			found[at] = append(found[at], n.in([]byte(v))...)
		}
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("invalid JSON: %v", err)
	}
	walk("", v)
	places := map[string]string{}
	for at, names := range found {
		slices.Sort(names)
		if len(names) > 0 {
			places[at] = strings.Join(slices.Compact(names), ", ")
		}
	}
	return places
}

// objectAt returns the address of v without its key if v is an object of a state or a plan,
// and otherwise at.
func objectAt(at string, v map[string]any) string {
	address, ok := v["address"].(string)
	kind, isObject := v["type"].(string)
	name, isNamed := v["name"].(string)
	switch _, ofState := v["instances"]; {
	case ok:
	case ofState && isObject && isNamed && v["mode"] == "data":
		address = "data." + kind + "." + name
	case ofState && isObject && isNamed:
		address = kind + "." + name
	default:
		return at
	}
	address, _, _ = strings.Cut(address, "[")
	return address
}

func TestNeedles(t *testing.T) {
	t.Parallel()
	const secret = `correct "horse" <battery>`
	n := newNeedles(map[string]string{"it": secret})
	for name, text := range map[string]string{
		"itself":                            "x" + secret + "y",
		"a piece":                           secret[len(secret)-pieceSize:],
		"JSON":                              `{"a":"correct \"horse\" \u003cbattery\u003e"}`,
		"quoted":                            strconv.Quote(secret[:14]),
		"a query":                           "?a=" + url.QueryEscape(secret),
		"hexadecimal":                       hex.EncodeToString([]byte("x" + secret)),
		"bytes":                             fmt.Sprintf("%d", []byte(secret)),
		"base64":                            base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 inside of other text":       base64.StdEncoding.EncodeToString([]byte("x" + secret + "y")),
		"URL-safe base64 at another offset": base64.URLEncoding.EncodeToString([]byte("xx" + secret)),
	} {
		if got := n.in([]byte(text)); !slices.Equal(got, []string{"it"}) {
			t.Errorf("%s: found %q, want only \"it\", in %s", name, got, text)
		}
	}
	sum := sha256.Sum256([]byte(secret))
	if got := n.in([]byte(hex.EncodeToString(sum[:]))); !slices.Equal(got, []string{"it: SHA-256"}) {
		t.Errorf("found %q in the digest, want [%q]", got, "it: SHA-256")
	}
	if got := n.in([]byte(secret[:pieceSize-1] + " " + secret[pieceSize:pieceSize+8])); len(got) > 0 {
		t.Errorf("found %q in text without a complete piece, want nothing", got)
	}
	private := base64.StdEncoding.EncodeToString([]byte(`{"k":"` + base64.StdEncoding.EncodeToString([]byte(secret)) + `"}`))
	state := `{"resources":[{"mode":"managed","type":"a","name":"b","instances":[{"attributes":{"c":[{"d":"correct \"horse\""}]},"private":"` + private + `"}]}],
		"planned_values":{"root_module":{"resources":[{"address":"data.a.b[\"x\"]","values":{"e":"<battery> x","f":` + strconv.Quote(secret) + `}}]}}}`
	got := n.places(t, []byte(state))
	if want := map[string]string{"a.b.c.d": "it", "a.b.private.k": "it", "data.a.b.f": "it"}; !maps.Equal(got, want) {
		t.Errorf("places %v, want %v", got, want)
	}
}
