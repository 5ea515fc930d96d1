package cron

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Schedule is a cron schedule.
type Schedule string

// SemanticEquals reports whether the schedules are equal except for the blanks between and
// around their fields.
func (s Schedule) SemanticEquals(other Schedule) bool { return s.normalized() == other.normalized() }

func (s Schedule) normalized() string { return strings.Join(s.fields(), " ") }

// fields returns the fields of the schedule. Cron separates them by spaces and tabs
// only.
func (s Schedule) fields() []string {
	return strings.FieldsFunc(string(s), func(r rune) bool { return r == ' ' || r == '\t' })
}

// nicknames are the schedules that are single words.
var nicknames = []string{"@reboot", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// field is one of the five fields of a schedule.
type field struct {
	name      string
	low, high int
	names     []string // names of low and the following values
}

var fields = []field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// checkSchedule returns an error for a schedule that some cron implementations reject or
// interpret differently, or that never occurs.
func checkSchedule(s Schedule) error {
	if strings.ContainsAny(string(s), "\n\r\x00") {
		return errors.New("a schedule must be a single line")
	}
	words := s.fields()
	if len(words) == 1 && strings.HasPrefix(words[0], "@") {
		if !slices.Contains(nicknames, words[0]) {
			return fmt.Errorf("%s is not a schedule. Use one of %s", words[0], strings.Join(nicknames, ", "))
		}
		return nil
	}
	if len(words) != len(fields) {
		return fmt.Errorf("a schedule must have five fields (minute, hour, day of the month, month, day of the week), such as \"30 4 * * mon-fri\", or be one of %s; this one has %d", strings.Join(nicknames, ", "), len(words))
	}
	var sets [5][]int
	for i, f := range fields {
		set, err := f.parse(words[i])
		if err != nil {
			return fmt.Errorf("the %s: %w", f.name, err)
		}
		sets[i] = set
	}
	if words[4] == "*" && !occurs(sets[2], sets[3]) {
		return errors.New("no month of the schedule has a day of the schedule, so the command would never run")
	}
	return nil
}

// occurs reports whether one of the months has the first of the days.
func occurs(days, months []int) bool {
	return slices.ContainsFunc(months, func(month int) bool {
		return days[0] <= [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	})
}

// parse returns the values of a field, sorted.
func (f field) parse(text string) ([]int, error) {
	var set []int
	for part := range strings.SplitSeq(text, ",") {
		low, high, step, err := f.part(part)
		if err != nil {
			return nil, err
		}
		for n := low; n <= high; n += step {
			set = append(set, n)
		}
	}
	slices.Sort(set)
	return set, nil
}

// part parses a value, or a range or an asterisk with an optional step.
func (f field) part(text string) (low, high, step int, err error) {
	bounds, by, stepped := strings.Cut(text, "/")
	from, to, ranged := strings.Cut(bounds, "-")
	switch {
	case bounds == "*":
		low, high = f.low, f.high
	case !ranged:
		if low, err = f.value(from); err == nil && stepped {
			err = fmt.Errorf("%s: a step must follow a range, such as %s-%d/%s", quoted(text), from, f.high, by)
		}
		high = low
	default:
		if low, err = f.value(from); err == nil {
			high, err = f.value(to)
		}
		if err == nil && low > high {
			err = fmt.Errorf("%s: the range ends before it starts", quoted(text))
			if f.names != nil && f.low == 0 {
				err = fmt.Errorf("%w; use 7 for Sunday at the end of a range", err)
			}
		}
	}
	if err != nil || !stepped {
		return low, high, 1, err
	}
	step, err = number(by)
	if err != nil || step < 1 || step > f.high-f.low {
		err = fmt.Errorf("%s: the step must be from 1 to %d", quoted(text), f.high-f.low)
	}
	return low, high, step, err
}

func (f field) value(text string) (int, error) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.low + i, nil
	}
	n, err := number(text)
	switch {
	case err != nil && f.names != nil:
		return 0, fmt.Errorf("%s is neither a number from %d to %d nor one of %s", quoted(text), f.low, f.high, strings.Join(f.names, ", "))
	case err != nil || n < f.low || n > f.high:
		return 0, fmt.Errorf("%s is not a number from %d to %d", quoted(text), f.low, f.high)
	}
	return n, nil
}

// number parses one or two digits.
func number(text string) (int, error) {
	if len(text) < 1 || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%s is not a number", quoted(text))
	}
	return strconv.Atoi(text)
}

func quoted(text string) string {
	if text == "" {
		return "an empty value"
	}
	return strconv.Quote(text)
}
