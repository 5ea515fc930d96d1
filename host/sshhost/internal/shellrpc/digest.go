package shellrpc

import (
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// digestTopic reads files and then checks their info. The request is repeated with carefulTopic
// for files that may have changed in between, because carefulTopic also checks the info before reading.
var digestTopic = &topic{
	request:  func(paths []string) Request { return digestRequest(shell.Call("px_digest", paths...)) },
	read:     readDigests,
	separate: escaped,
	closer:   carefulTopic,
}

var carefulTopic = &topic{
	request:  func(paths []string) Request { return digestRequest(shell.Call("px_digests", paths...)) },
	read:     readDigests,
	separate: escaped,
}

// ErrLinkAbove means that there is a symbolic link above the path of a file, which was not read.
var ErrLinkAbove = errors.New("there is a symbolic link above the path")

// directTopic is digestTopic for files without a symbolic link above their paths. For others, the
// error is ErrLinkAbove.
var directTopic = &topic{
	request:  func(paths []string) Request { return directRequest("px_digest", paths) },
	read:     readDirect,
	separate: escaped,
	closer: &topic{
		request:  func(paths []string) Request { return directRequest("px_digests", paths) },
		read:     readDirect,
		separate: escaped,
	},
}

func directRequest(function string, paths []string) Request {
	q := digestRequest(shell.Call("px_direct", append([]string{function}, paths...)...))
	q.Blocks++
	return q
}

// readDirect parses the blocks of px_direct.
func readDirect(paths []string, reply Reply) []found {
	direct := ended(reply[0])
	digests := readDigests(direct, reply[1:])
	all := make([]found, len(paths))
	for i, path := range paths {
		if len(direct) == 0 || direct[0] != path {
			all[i].err = ErrLinkAbove
			continue
		}
		all[i], direct, digests = digests[0], direct[1:], digests[1:]
	}
	return all
}

func digestRequest(text shell.Text) Request { return Request{Text: text, Blocks: digestBlocks} }

// escaped reports whether some tools escape a path in their output.
func escaped(path string) bool { return strings.ContainsAny(path, "\n\r\\") }

// coarse is the maximum lag of a file time behind the clock of the same host: file systems use
// the time of the last timer tick.
const coarse = 100 * time.Millisecond

// readDigests parses the blocks of px_digest.
func readDigests(paths []string, reply Reply) []found {
	before, sumBlocks, after := reply[:infoBlocks], reply[infoBlocks:infoBlocks+3], reply[infoBlocks+3:]
	since, only := readSince(after[infoBlocks])
	now := readInfos(paths, after[:infoBlocks])
	all := now // there is no earlier info to compare with
	if !only {
		all = readInfos(paths, before)
	}
	hashed := ended(sumBlocks[0])
	sums, reasons := readSums(hashed, sumBlocks[1], lines(sumBlocks[2]))
	for i, path := range paths {
		f := &all[i]
		if f.err != nil || f.again || f.moved {
			continue
		}
		if f.info.Type != host.TypeRegular {
			f.err = &host.TypeError{Want: host.TypeRegular, Got: f.info.Type}
			continue
		}
		sum, ok := sums[path]
		switch {
		case sumBlocks[2] == unsupported:
			f.err = errNoHash
		case !slices.Contains(hashed, path) || now[i].again || now[i].err != nil || now[i].info != f.info:
			f.moved = true
		case only && !f.info.ChangeTime.Before(since.Add(-coarse)):
			f.recent = true
		case ok:
			f.sum = sum
		case reasons != nil:
			f.err = reasons[path]
		default:
			f.again = true
		}
	}
	return all
}

// readSince parses the last block of px_digest, the start time of the helper, and reports whether
// the block contains it.
func readSince(block string) (since time.Time, is bool) {
	seconds, nano, _ := strings.Cut(block, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	n, err2 := strconv.ParseInt(nano, 10, 64)
	return time.Unix(s, n), err == nil && err2 == nil
}

// readSums parses the output of a digest command, and its errors for files that it could
// not read; reasons is nil if they cannot be matched to the files.
func readSums(paths []string, printed string, failures []string) (sums map[string][32]byte, reasons map[string]error) {
	sums = map[string][32]byte{}
	for _, line := range lines(printed) {
		digest, name, ok := strings.Cut(strings.TrimPrefix(line, `\`), " ")
		raw, err := hex.DecodeString(digest)
		if !ok || err != nil || len(raw) != 32 {
			continue
		}
		if len(paths) == 1 { // the tool may escape the name
			name = paths[0]
		} else {
			name = name[max(0, strings.Index(name, "/")):] // after a space or an asterisk
		}
		sums[name] = [32]byte(raw)
	}
	failed := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, ok := sums[path]
		return ok
	})
	switch {
	case len(failed) == 1 && len(paths) == 1:
		failures = []string{strings.Join(failures, "\n")}
	case len(failed) != len(failures):
		return sums, nil
	}
	reasons = map[string]error{}
	for i, path := range failed {
		reasons[path] = shell.Reason(failures[i])
	}
	return sums, reasons
}
