package timeport

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Timestamp is a point in time as a string in the format of RFC 3339.
type Timestamp struct{ time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Timestamp) UnmarshalText(text []byte) (err error) {
	if t.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return diag.Diagnostic{
			Summary: "Invalid RFC3339 String Value",
			Detail:  "The value must be a timestamp such as \"2035-06-01T10:00:00Z\".",
		}
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (t Timestamp) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// String returns the timestamp in the format of RFC 3339.
func (t Timestamp) String() string { return t.Format(time.RFC3339Nano) }

// SemanticEquals reports whether t and other have the same time and the same zone, whatever their form.
func (t Timestamp) SemanticEquals(other Timestamp) bool { return t.String() == other.String() }

// plus returns the timestamp plus an offset; nil counts as zero. Years, months and days are
// calendar units.
func (t Timestamp) plus(years, months, days, hours, minutes, seconds *int) Timestamp {
	sum := t.AddDate(number(years), number(months), number(days))
	clock := time.Duration(number(hours))*time.Hour + time.Duration(number(minutes))*time.Minute + time.Duration(number(seconds))*time.Second
	return Timestamp{sum.Add(clock)}
}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// Moment has the parts of a timestamp that are outputs of a resource.
type Moment struct {
	DateTime
	// Unix is the number of seconds since 1970-01-01T00:00:00Z.
	Unix int64
}

// DateTime has the date and the time of day of a timestamp.
type DateTime struct {
	// Year of the timestamp.
	Year int
	// Month of the timestamp, from 1 to 12.
	Month int
	// Day of the month of the timestamp.
	Day int
	// Hour of the timestamp, from 0 to 23.
	Hour int
	// Minute of the timestamp.
	Minute int
	// Second of the timestamp.
	Second int
}

func (t Timestamp) moment() Moment {
	return Moment{DateTime: dateTime(t.Time), Unix: t.Unix()}
}

func dateTime(t time.Time) DateTime {
	return DateTime{Year: t.Year(), Month: int(t.Month()), Day: t.Day(), Hour: t.Hour(), Minute: t.Minute(), Second: t.Second()}
}

// set makes all parts known in a plan.
func (m Moment) set(plan *runtime.OutputPlan) {
	plan.Set("year", m.Year)
	plan.Set("month", m.Month)
	plan.Set("day", m.Day)
	plan.Set("hour", m.Hour)
	plan.Set("minute", m.Minute)
	plan.Set("second", m.Second)
	plan.Set("unix", m.Unix)
}

// importID parses an import ID: a timestamp and numbers, separated by commas. It sets the
// numbers that are neither empty nor zero. form describes the ID in errors.
func importID(id, form string, numbers ...**int) (Timestamp, error) {
	var base Timestamp
	parts := strings.Split(id, ",")
	if len(parts) != 1+len(numbers) {
		return base, fmt.Errorf("must be %s, but has %d parts", form, len(parts))
	}
	if err := base.UnmarshalText([]byte(parts[0])); err != nil {
		return base, fmt.Errorf("must be %s, but %q is not a timestamp such as 2035-06-01T10:00:00Z", form, parts[0])
	}
	for i, text := range parts[1:] {
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return base, fmt.Errorf("must be %s, but %q is not a number", form, text)
		}
		if n != 0 {
			*numbers[i] = &n
		}
	}
	return base, nil
}
