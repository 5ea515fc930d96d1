package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Timeouts is the attribute in which a configuration sets the timeouts of a resource: a
// field
//
//	Timeouts *runtime.Timeouts
//
// of the inputs. Operations without a configured timeout have that of [TimeoutDeclarer]. A
// change of only the timeouts is stored without a call of Update. Create and Update use the
// configured timeouts, Read and Delete those in the state.
type Timeouts struct {
	// Maximum duration of a create, such as `"90s"` or `"1h30m"`. `"0s"` means no limit.
	Create *Duration
	// Maximum duration of a read, such as `"90s"` or `"1h30m"`. `"0s"` means no limit.
	// Takes effect once applied.
	Read *Duration
	// Maximum duration of an update in place, such as `"90s"` or `"1h30m"`. `"0s"` means
	// no limit.
	Update *Duration
	// Maximum duration of a delete, such as `"90s"` or `"1h30m"`. `"0s"` means no limit.
	// Takes effect once applied.
	Delete *Duration
}

// ReadTimeout is [Timeouts] for a data source, which only reads.
type ReadTimeout struct {
	// Maximum duration of a read, such as `"90s"` or `"1h30m"`. `"0s"` means no limit.
	Read *Duration
}

// OperationTimeouts are the default timeouts of operations; zero means no limit.
type OperationTimeouts struct {
	Create, Read, Update, Delete time.Duration
}

// TimeoutDeclarer returns the default timeouts of operations. OperationTimeouts is called once, at
// registration. The context of a method is done after its timeout, which includes
// the wait for locks; an error that the method returns after that, other than [ErrNotFound], is
// reported with an error about the timeout. The runtime waits for a method that continues,
// because its result would otherwise be lost.
type TimeoutDeclarer interface {
	OperationTimeouts() OperationTimeouts
}

// operation is a method that may have a timeout.
type operation string

const (
	opCreate operation = "Create"
	opRead   operation = "Read"
	opUpdate operation = "Update"
	opDelete operation = "Delete"
)

var doing = map[operation]string{opCreate: "Creating", opRead: "Reading", opUpdate: "Updating", opDelete: "Deleting"}

// timeouts are the timeouts of a type.
type timeouts struct {
	attr     *attribute           // nil if not configurable
	fields   map[operation]*field // fields of its objects
	defaults map[operation]time.Duration
}

const timeoutsName = "timeouts"

// newTimeouts finds the attribute timeouts and reads the default timeouts. It returns an error for
// timeouts that are not valid.
func newTimeouts(f *form, probe reflect.Value, spec formSpec) (timeouts, error) {
	var t timeouts
	var errs []error
	for i := range spec.in.NumField() { //nolint:modernize // the iterator allocates for each type
		sf := spec.in.Field(i)
		if sf.Anonymous && sf.Tag.Get("tf") == "" && areTimeouts(pointee(sf.Type)) {
			errs = append(errs, fmt.Errorf("%s: embedded timeouts would be attributes of the object itself; name the field Timeouts", spec.in))
		}
	}
	for _, a := range f.attrs {
		err := checkTimeouts(a, spec.timeouts)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", a.field().goStr(), err))
		case areTimeouts(a.node.innermost().goType):
			t.attr, t.fields = a, make(map[operation]*field)
			for _, f := range a.in.node.innermost().fields {
				t.fields[operation(strings.ToUpper(f.name[:1])+f.name[1:])] = f
			}
		}
	}
	if d, ok := reflect.TypeAssert[TimeoutDeclarer](probe); ok {
		limits := d.OperationTimeouts()
		t.defaults = map[operation]time.Duration{opCreate: limits.Create, opRead: limits.Read, opUpdate: limits.Update, opDelete: limits.Delete}
		errs = append(errs, checkDefaults(t.defaults, spec.timeouts))
	}
	return t, errors.Join(errs...)
}

// checkDefaults returns an error for invalid default timeouts.
func checkDefaults(limits map[operation]time.Duration, want reflect.Type) error {
	if want == nil {
		return errors.New("method OperationTimeouts would never be called: only resources and data sources have timeouts")
	}
	var errs []error
	for _, op := range []operation{opCreate, opRead, opUpdate, opDelete} {
		_, possible := want.FieldByName(string(op))
		switch {
		case limits[op] < 0:
			errs = append(errs, fmt.Errorf("OperationTimeouts: %s is negative (%s)", op, limits[op]))
		case limits[op] > 0 && !possible:
			errs = append(errs, fmt.Errorf("OperationTimeouts: a data source has no %s", op))
		}
	}
	return errors.Join(errs...)
}

var (
	timeoutsType    = reflect.TypeFor[Timeouts]()
	readTimeoutType = reflect.TypeFor[ReadTimeout]()
)

func areTimeouts(t reflect.Type) bool { return t == timeoutsType || t == readTimeoutType }

// holdsTimeouts reports whether a node inside n, but not n itself, has a type
// of timeouts.
func (n *node) holdsTimeouts() bool {
	inner := n.innermost()
	return inner.elem != nil && areTimeouts(inner.elem.innermost().goType) ||
		n.anyField(func(f *field) bool { return areTimeouts(f.node.innermost().goType) || f.node.holdsTimeouts() })
}

// checkTimeouts returns an error for timeouts that would have no effect, or not the
// intended one.
func checkTimeouts(a *attribute, want reflect.Type) error {
	inner := a.node.innermost()
	if !areTimeouts(inner.goType) {
		switch {
		case a.node.holdsTimeouts():
			return errors.New("timeouts must be one field of the inputs, not inside another attribute")
		case want != nil && a.in != nil && a.name == timeoutsName && inner.kind == kindObject:
			return fmt.Errorf("the attribute timeouts has the wrong type and would have no effect; make it *%s", want)
		}
		return nil
	}
	switch {
	case want == nil:
		return errors.New("only resources and data sources have timeouts")
	case inner.goType != want:
		return fmt.Errorf("the type of the timeouts must be *%s", want)
	case a.name != timeoutsName:
		return fmt.Errorf("the attribute is named %q and must be named timeouts", a.name)
	case a.out != nil:
		return errors.New("timeouts are configured and cannot be an output")
	case a.class == classRequired || pointee(a.node.goType) != want:
		return fmt.Errorf("timeouts are optional; make the field a *%s", want)
	case a.class == classDefault:
		return errors.New("the defaults of timeouts must come from the method OperationTimeouts")
	case a.in.sensitive || a.writeOnly():
		return errors.New("timeouts cannot be sensitive or writeonly")
	}
	return nil
}

// of returns the timeout of an operation with the inputs, zero for none.
func (t *timeouts) of(op operation, in reflect.Value) time.Duration {
	if f := t.fields[op]; f != nil {
		configured := t.attr.in.in(in)
		for configured.Kind() == reflect.Pointer && !configured.IsNil() {
			configured = configured.Elem()
		}
		if configured.Kind() == reflect.Struct {
			if d, ok := reflect.TypeAssert[*Duration](f.in(configured)); ok && d != nil {
				return time.Duration(*d)
			}
		}
	}
	return t.defaults[op]
}

// expired is the cause of a context that ended because of a timeout.
type expired struct{ limit time.Duration }

func (e *expired) Error() string { return fmt.Sprintf("the timeout of %s has passed", e.limit) }
func (e *expired) Unwrap() error { return context.DeadlineExceeded }

// within calls f with a context that ends at the timeout of the operation. An error that f returns
// after that, other than ErrNotFound, is joined with the error of tooLong.
func (t *timeouts) within(ctx context.Context, c *call, op operation, in reflect.Value, f func(ctx context.Context) error) error {
	limit := t.of(op, in)
	if limit <= 0 {
		return f(ctx)
	}
	over := &expired{limit}
	timed, cancel := context.WithTimeoutCause(ctx, limit, over)
	defer cancel()
	noted := make(chan struct{})
	stop := context.AfterFunc(timed, func() {
		defer close(noted)
		if errors.Is(context.Cause(timed), over) {
			tflog.Warn(ctx, "the timeout of an operation has passed; waiting for it to end", map[string]any{
				"type": c.typeName, "operation": string(op), "timeout": limit.String(),
			})
		}
	})
	err := f(timed)
	if !stop() {
		<-noted
	}
	if !failed(err) || absent(err) || !errors.Is(context.Cause(timed), over) {
		return err
	}
	return errors.Join(t.tooLong(c, op, limit), err)
}

// tooLong returns the error for an operation that failed after its timeout.
func (t *timeouts) tooLong(c *call, op operation, limit time.Duration) error {
	m := diag.Diagnostic{
		Severity: diag.Error,
		Summary:  fmt.Sprintf("%s %s took too long", doing[op], c.typeName),
		Detail:   fmt.Sprintf("The operation was canceled after its timeout of %s. ", limit),
	}
	if t.fields[op] == nil {
		m.Detail += "The provider sets this limit, and the configuration cannot change it. The log may show the cause of the delay (TF_LOG=DEBUG)."
		return m
	}
	name := strings.ToLower(string(op))
	m.Path = cty.GetAttrPath(timeoutsName).GetAttr(name)
	equals := " ="
	if t.attr.block() {
		equals = ""
	}
	m.Detail += fmt.Sprintf("To allow more time, set timeouts%s { %s = %q }.", equals, name, 2*limit)
	switch {
	case t.attr.node.innermost().goType == readTimeoutType: // there is no state
	case op == opRead:
		m.Detail += " The provider uses the timeout in the state, so apply the change with -refresh=false."
	case op == opDelete:
		m.Detail += " The provider uses the timeout in the state, so apply the change before the delete."
	}
	return m
}
