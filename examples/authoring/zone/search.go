package zone

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [list

// Search lists the records of a type.
type Search struct {
	// Type of the records. Defaults to all.
	Type *string
}

// List yields the records, sorted by key, such as www.A.
func (s *Search) List(_ context.Context, z *Zone, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*RecordOutput], error] {
	return func(yield func(runtime.Listed[*RecordOutput], error) bool) {
		names, err := z.names(records)
		if err != nil {
			yield(runtime.Listed[*RecordOutput]{}, err)
			return
		}
		for _, file := range names {
			name, recordType, _ := strings.Cut(file, ".")
			if s.Type != nil && *s.Type != recordType {
				continue
			}
			found := runtime.Listed[*RecordOutput]{
				DisplayName: fmt.Sprintf("%s (%s)", name, recordType),
				Object:      &RecordOutput{Name: name, Type: recordType},
			}
			if !yield(found, nil) {
				return
			}
		}
	}
}

// list]

// [action

// Reload reloads the zone on servers.
type Reload struct {
	// Servers are the names of the servers, in the order in which they reload.
	Servers []string
}

// Constraints returns the constraints of the action.
func (*Reload) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("servers", 1, 0)}
}

// PlanAction adds a warning to the plan if there are many servers.
func (r *Reload) PlanAction(ctx context.Context, _ *Zone) error {
	if len(r.Servers) > 5 {
		runtime.Warn(ctx, "servers", "Many servers", "The servers reload one after the other.")
	}
	return nil
}

// Invoke reloads one server after the other.
func (r *Reload) Invoke(ctx context.Context, z *Zone, report func(message string)) error {
	for i, name := range r.Servers {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%d of %d servers have reloaded: %w", i, len(r.Servers), err)
		}
		if err := z.await(ctx, name); err != nil {
			return err
		}
		report(name + " has reloaded the zone")
	}
	return nil
}

// action]

// [retry

// await waits a short time for the server to exist: it may just have been created.
func (z *Zone) await(ctx context.Context, server string) error {
	return runtime.Retry(ctx, func(context.Context) error {
		err := z.get(servers, server, &keptServer{})
		if errors.Is(err, runtime.ErrNotFound) {
			return runtime.Retryable(err)
		}
		return err
	}, runtime.RetryTries(3), runtime.RetryDelays(50*time.Millisecond, time.Second))
}

// retry]
