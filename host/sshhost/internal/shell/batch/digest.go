package batch

import (
	"encoding/hex"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var digestTopic = &topic{
	ask: func(paths []string) Question {
		return Question{Text: shell.Call("px_digest", paths...), Blocks: digestBlocks}
	},
	read: readDigests,
	// Some tools escape these, and some do not.
	alone: func(path string) bool { return strings.ContainsAny(path, "\n\r\\") },
}

// readDigests reads the blocks of px_digest.
func readDigests(paths []string, answer Answer) []found {
	all := readInfos(paths, answer[:infoBlocks])
	hashed := ended(answer[infoBlocks])
	sums, reasons := readSums(hashed, answer[infoBlocks+1], lines(answer[infoBlocks+2]))
	after := map[string]found{}
	for i, f := range readInfos(hashed, answer[infoBlocks+3:]) {
		after[hashed[i]] = f
	}
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
		now, was := after[path]
		switch {
		case answer[infoBlocks+2] == unsupported:
			f.err = errNoHash
		case !was || now.again || now.err != nil || now.info != f.info:
			f.moved = true
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

// readSums reads what a command for digests says of files, and what it said of
// those that it could not read; nil when that is not clear.
func readSums(paths []string, printed string, failures []string) (sums map[string][32]byte, reasons map[string]error) {
	sums = map[string][32]byte{}
	for _, line := range lines(printed) {
		digest, name, ok := strings.Cut(strings.TrimPrefix(line, `\`), " ")
		raw, err := hex.DecodeString(digest)
		if !ok || err != nil || len(raw) != 32 {
			continue
		}
		if len(paths) == 1 { // whatever it makes of the name
			name = paths[0]
		} else {
			name = name[max(0, strings.Index(name, "/")):] // after a space or an asterisk
		}
		sums[name] = [32]byte(raw)
	}
	var failed []string
	for _, path := range paths {
		if _, ok := sums[path]; !ok {
			failed = append(failed, path)
		}
	}
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
