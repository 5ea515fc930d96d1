package shellrpc

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var (
	errNoStat = fmt.Errorf("the host has no stat command: %w", errors.ErrUnsupported)
	errNoHash = fmt.Errorf("the host has no command for SHA-256 (sha256sum, shasum, sha256 or openssl): %w", errors.ErrUnsupported)
)

var errMoving = errors.New("the file was changed repeatedly while it was being read: run the plan or apply again when no program writes it")

// unsupported is the output of a shell function if the host lacks the tool that the function calls.
const unsupported = "unsupported"

// Info describes the object at a path.
type Info struct {
	host.FileInfo           // without Path, Owner and Group
	ChangeTime    time.Time // ctime; some tools report whole seconds
	Device, Inode uint64
}

// found is the result for one path.
type found struct {
	info  Info
	sum   [32]byte
	err   error
	again bool // inconclusive: the request must be repeated for this path separately
	moved bool // the object changed during the request

	recent bool // the file may have changed: the request must be repeated with the closer topic
}

// topic is a kind of request that can be made for many paths at once.
type topic struct {
	request func(paths []string) Request
	read    func(paths []string, reply Reply) []found // returns the result for each path
	// separate reports whether a path needs a separate request.
	separate func(path string) bool
	// closer is the topic that also detects changes of recently changed files.
	closer *topic
}

var infoTopic = &topic{
	request: func(paths []string) Request {
		return Request{Text: shell.Call("px_info", paths...), Blocks: infoBlocks}
	},
	read:     readInfos,
	separate: func(path string) bool { return strings.Contains(path, "\n") },
}

// readInfos parses the blocks of px_info.
func readInfos(paths []string, reply Reply) []found {
	all := make([]found, len(paths))
	records, failures := reply[0], lines(reply[1])
	if reply[1] == unsupported {
		return fill(all, found{err: errNoStat})
	}
	byPath := map[string]Info{}
	if len(paths) == 1 { // the name may contain newlines
		records = strings.TrimSuffix(records, "\n")
		if records != "" {
			info, err := readInfo(strings.TrimSuffix(records, " "+paths[0]))
			if err != nil {
				return fill(all, found{err: err})
			}
			byPath[paths[0]] = info
		}
	} else {
		for _, record := range lines(records) {
			if i := strings.Index(record, "] /"); i >= 0 {
				if info, err := readInfo(record[:i+1]); err == nil {
					byPath[record[i+2:]] = info
				}
			}
		}
	}
	targets := readTargets(reply[2], reply[3])
	missing := 0
	for _, path := range paths {
		if _, ok := byPath[path]; !ok {
			missing++
		}
	}
	for i, path := range paths {
		info, ok := byPath[path]
		target, isLink := targets[path]
		switch {
		case !ok && len(paths) == 1:
			all[i].err = shell.Reason(reply[1])
		case !ok && missing != len(failures): // the messages cannot be matched to the paths
			all[i].again = true
		case !ok:
			all[i].err, failures = shell.Reason(failures[0]), failures[1:]
			missing--
		case info.Type == host.TypeSymlink && !isLink: // this file, or one of the others, has changed in the meantime
			all[i].again, all[i].moved = len(paths) > 1, len(paths) == 1
		default:
			info.LinkTarget = target
			if info.Type != host.TypeSymlink {
				info.LinkTarget = ""
			}
			all[i].info = info
		}
	}
	return all
}

// readTargets returns the target of each link by the path of the link, or nil if one of the targets
// could not be read.
func readTargets(links, targets string) map[string]string {
	names, texts := ended(links), ended(targets)
	if len(names) != len(texts) {
		return nil
	}
	byPath := map[string]string{}
	for i, name := range names {
		byPath[name] = texts[i]
	}
	return byPath
}

// infoPattern matches a record of px_show without its path.
var infoPattern = regexp.MustCompile(
	`^([0-9a-f]+) (\d+) (\d+) (\d+) (-?\d+)(?:\.(\d{9}))? (-?\d+)(?:\.(\d{9}))? (\d+) (\d+) \[([^]]*)\](?:\[([^]]*)\])?$`)

// fraction matches the nanoseconds in a formatted time.
var fraction = regexp.MustCompile(`:\d\d\.(\d{9})`)

func readInfo(record string) (Info, error) {
	m := infoPattern.FindStringSubmatch(record)
	if m == nil {
		return Info{}, errors.New("unexpected output from the host's stat command")
	}
	var errs []error
	number := func(text string, base, bits int) uint64 {
		n, err := strconv.ParseUint(text, base, bits)
		errs = append(errs, err)
		return n
	}
	seconds := func(text, nano, people string) time.Time {
		s, err := strconv.ParseInt(text, 10, 64)
		if f := fraction.FindStringSubmatch(people); f != nil {
			nano = f[1]
		}
		n, err2 := strconv.ParseInt(cmp.Or(nano, "0"), 10, 64)
		errs = append(errs, err, err2)
		return time.Unix(s, n)
	}
	mode := number(m[1], 16, 32)
	info := Info{
		FileInfo: host.FileInfo{
			Type:    host.StatType(uint32(mode)),     //nolint:gosec // of 32 bits
			Mode:    host.Mode(mode) & host.ModeMask, //nolint:gosec // of 32 bits, as are UID and GID
			Size:    int64(number(m[2], 10, 63)),     //nolint:gosec // of 63 bits
			UID:     uint32(number(m[3], 10, 32)),    //nolint:gosec // see above
			GID:     uint32(number(m[4], 10, 32)),    //nolint:gosec // see above
			ModTime: seconds(m[5], m[6], m[11]),
		},
		ChangeTime: seconds(m[7], m[8], m[12]),
		Device:     number(m[9], 10, 64),
		Inode:      number(m[10], 10, 64),
	}
	if err := errors.Join(errs...); err != nil {
		return Info{}, fmt.Errorf("invalid number in the output of the host's stat command: %w", err)
	}
	return info, nil
}

func fill(all []found, with found) []found {
	for i := range all {
		all[i] = with
	}
	return all
}

// lines returns the non-empty lines of a block.
func lines(block string) []string {
	return slices.DeleteFunc(strings.Split(block, "\n"), func(l string) bool { return l == "" })
}

// ended returns the NUL-terminated parts of a block.
func ended(block string) []string {
	if block == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(block, "\x00"), "\x00")
}

// InfoRequest returns the request for the info of a path, to be combined with other
// requests. The path may contain newlines.
func InfoRequest(path string) Request {
	return Request{Text: shell.Call("px_info", path), Blocks: infoBlocks}
}

// InfoReply returns the info in the reply to [InfoRequest], or in the last blocks of the
// reply to a request whose script ends with px_info of one path.
func InfoReply(path string, reply Reply) (Info, error) {
	f := readInfos([]string{path}, reply[len(reply)-infoBlocks:])[0]
	if f.moved {
		return Info{}, errMoving
	}
	return f.info, f.err
}

// OpenedInfo parses the output of px_opened. Invalid output is an error.
func OpenedInfo(record string) (Info, error) { return readInfo(strings.TrimSuffix(record, "\n")) }
