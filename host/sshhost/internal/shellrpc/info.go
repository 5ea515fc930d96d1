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

// Info is what is at a path.
type Info struct {
	Type       host.FileType
	Mode       host.Mode
	Size       int64
	UID, GID   uint32
	ModTime    time.Time
	ChangeTime time.Time // of what is not content; whole seconds from some tools
	Device     uint64
	Inode      uint64
	LinkTarget string
}

// found is what was learnt about one path.
type found struct {
	info  Info
	sum   [32]byte
	err   error
	again bool // nothing that holds was learnt: it has to be asked alone
	moved bool // it changed while it was looked at

	recent bool // it may have: the closer topic knows
}

// topic is a kind of question about many paths at a time.
type topic struct {
	ask  func(paths []string) Question
	read func(paths []string, answer Answer) []found // for each path
	// alone reports that a path must be asked by itself.
	alone func(path string) bool
	// closer is asked about what is recent.
	closer *topic
}

var infoTopic = &topic{
	ask: func(paths []string) Question {
		return Question{Text: shell.Call("px_info", paths...), Blocks: infoBlocks}
	},
	read:  readInfos,
	alone: func(path string) bool { return strings.Contains(path, "\n") },
}

// readInfos reads the blocks of px_info.
func readInfos(paths []string, answer Answer) []found {
	all := make([]found, len(paths))
	records, failures := answer[0], lines(answer[1])
	if answer[1] == unsupported {
		return fill(all, found{err: errNoStat})
	}
	byPath := map[string]Info{}
	if len(paths) == 1 { // its name may have newlines
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
	targets := readTargets(answer[2], answer[3])
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
			all[i].err = shell.Reason(answer[1])
		case !ok && missing != len(failures): // whose reason is whose?
			all[i].again = true
		case !ok:
			all[i].err, failures = shell.Reason(failures[0]), failures[1:]
			missing--
		case info.Type == host.TypeSymlink && !isLink: // it has gone meanwhile, or one of the others has
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

// readTargets pairs links and targets. It returns nil if one of them could not be read.
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

// infoPattern is a record of px_show without its path.
var infoPattern = regexp.MustCompile(
	`^([0-9a-f]+) (\d+) (\d+) (\d+) (-?\d+)(?:\.(\d{9}))? (-?\d+)(?:\.(\d{9}))? (\d+) (\d+) \[([^]]*)\](?:\[([^]]*)\])?$`)

// fraction finds the nanoseconds in a time for people.
var fraction = regexp.MustCompile(`:\d\d\.(\d{9})`)

func readInfo(record string) (Info, error) {
	m := infoPattern.FindStringSubmatch(record)
	if m == nil {
		return Info{}, errors.New("the host's stat command prints something unknown")
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
		Type:       FileType(mode),
		Mode:       host.Mode(mode) & host.ModeMask, //nolint:gosec // of 32 bits, as are the next two
		Size:       int64(number(m[2], 10, 63)),     //nolint:gosec // of 63 bits
		UID:        uint32(number(m[3], 10, 32)),    //nolint:gosec // see above
		GID:        uint32(number(m[4], 10, 32)),    //nolint:gosec // see above
		ModTime:    seconds(m[5], m[6], m[11]),
		ChangeTime: seconds(m[7], m[8], m[12]),
		Device:     number(m[9], 10, 64),
		Inode:      number(m[10], 10, 64),
	}
	if err := errors.Join(errs...); err != nil {
		return Info{}, fmt.Errorf("the host's stat command prints a number that is none: %w", err)
	}
	return info, nil
}

// FileType returns the kind in a mode of stat(2).
func FileType(mode uint64) host.FileType {
	switch mode & 0o170000 {
	case 0o100000:
		return host.TypeRegular
	case 0o040000:
		return host.TypeDirectory
	case 0o120000:
		return host.TypeSymlink
	case 0o010000:
		return host.TypeFIFO
	case 0o140000:
		return host.TypeSocket
	case 0o060000:
		return host.TypeBlockDevice
	case 0o020000:
		return host.TypeCharDevice
	}
	return host.TypeUnknown
}

func fill(all []found, with found) []found {
	for i := range all {
		all[i] = with
	}
	return all
}

// lines returns the lines of a block that are not empty.
func lines(block string) []string {
	return slices.DeleteFunc(strings.Split(block, "\n"), func(l string) bool { return l == "" })
}

// ended returns the parts of a block that end with NUL.
func ended(block string) []string {
	if block == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(block, "\x00"), "\x00")
}

// InfoQuestion asks what is at a path, to be asked with other questions. The path may
// have newlines.
func InfoQuestion(path string) Question {
	return Question{Text: shell.Call("px_info", path), Blocks: infoBlocks}
}

// InfoAnswer reads the answer to it, or the last blocks of the answer to a question
// whose text ends with px_info of one path.
func InfoAnswer(path string, answer Answer) (Info, error) {
	f := readInfos([]string{path}, answer[len(answer)-infoBlocks:])[0]
	if f.moved {
		return Info{}, errMoving
	}
	return f.info, f.err
}

// OpenedInfo reads what px_opened prints.
func OpenedInfo(record string) (Info, error) { return readInfo(strings.TrimSuffix(record, "\n")) }
