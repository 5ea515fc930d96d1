package timeport

import (
	"fmt"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// DurationParts has a duration in each unit.
type DurationParts struct {
	Hours        float64
	Minutes      float64
	Seconds      float64
	Milliseconds int64
	Microseconds int64
	Nanoseconds  int64
}

// ParseDuration parses a duration.
//
// The result has the attributes `hours`, `minutes` and `seconds`, which may have a fraction,
// and the whole numbers `milliseconds`, `microseconds` and `nanoseconds`.
//
//   - duration: a duration such as `1h30m`; units are `h`, `m`, `s`, `ms`, `us` and `ns`
func ParseDuration(duration string) (DurationParts, error) {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return DurationParts{}, unparsable("duration", duration, "duration string")
	}
	return DurationParts{d.Hours(), d.Minutes(), d.Seconds(), d.Milliseconds(), d.Microseconds(), d.Nanoseconds()}, nil
}

// unparsable returns the error for an argument that cannot be parsed. The reason after the colon has a line of
// its own, because clients wrap lines, and the acceptance tests expect the reason on a single line.
func unparsable(parameter, value, kind string) error {
	return runtime.ArgumentError(parameter, fmt.Errorf("the string cannot be parsed:\n%q is not a valid %s", value, kind))
}

// Calendar has the date and the time of day of a timestamp, and the day and week of the year.
type Calendar struct {
	DateTime

	YearDay     int
	MonthName   string
	Weekday     int
	WeekdayName string
	ISOYear     int
	ISOWeek     int
}

func calendar(t time.Time) Calendar {
	year, week := t.ISOWeek()
	return Calendar{
		DateTime: dateTime(t), YearDay: t.YearDay(), MonthName: t.Month().String(),
		Weekday: int(t.Weekday()), WeekdayName: t.Weekday().String(), ISOYear: year, ISOWeek: week,
	}
}

// RFC3339Parts has the parts of a timestamp in the format of RFC 3339.
type RFC3339Parts struct {
	Calendar

	Unix int64
}

// ParseRFC3339 parses a timestamp in the format of RFC 3339.
//
// The result has the date and the time of day in the zone of the timestamp (`year`, `month`,
// `day`, `hour`, `minute`, `second`), `month_name`, `weekday` from 0 for Sunday,
// `weekday_name`, `year_day` from 1, the week of ISO 8601 (`iso_year`, `iso_week`), and
// `unix`, the number of seconds since 1970-01-01T00:00:00Z.
//
//   - timestamp: a timestamp such as `2035-06-01T10:00:00Z`
func ParseRFC3339(timestamp string) (RFC3339Parts, error) {
	t, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		return RFC3339Parts{}, unparsable("timestamp", timestamp, "RFC3339 timestamp")
	}
	return RFC3339Parts{calendar(t), t.Unix()}, nil
}

// UnixParts has the parts of a Unix timestamp.
type UnixParts struct {
	Calendar

	RFC3339 string
}

// ParseUnixTimestamp parses a Unix timestamp.
//
// The result has the same attributes as that of `rfc3339_parse`, in UTC, except that `rfc3339`, the
// timestamp in the format of RFC 3339, replaces `unix`.
//
//   - unix_timestamp: the number of seconds since 1970-01-01T00:00:00Z
func ParseUnixTimestamp(unixTimestamp int64) UnixParts {
	t := time.Unix(unixTimestamp, 0).UTC()
	return UnixParts{calendar(t), t.Format(time.RFC3339)}
}
