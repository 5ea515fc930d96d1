package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// Migration upgrades a stored object by one schema version. [Migrate] and [Rename]
// return one.
type Migration struct {
	from int64
	old  []*field
	// renamed has the new names of attributes by the old ones.
	renamed map[string]string
	err     error
	step    func(ctx context.Context, object map[string]json.RawMessage) error
}

// Migrate returns a migration that calls step to upgrade an object from schema version
// from to the next. Old and New are structs with only the attributes that change: those
// of Old are removed from the stored object, those of New are added, and all others stay
// unchanged, so no copy of an old schema is needed. An attribute of Old that is not
// stored has its zero value.
func Migrate[Old, New any](from int, step func(ctx context.Context, old Old) (New, error)) Migration {
	oldFields, errOld := compileFields(reflect.TypeFor[Old]())
	newFields, errNew := compileFields(reflect.TypeFor[New]())
	m := Migration{from: int64(from), old: oldFields, err: errors.Join(errOld, errNew)}
	if m.err != nil {
		return m
	}
	oldType, newType := objectType(oldFields), objectType(newFields)
	oldCodec, newCodec := wire.NewCodec(oldType), wire.NewCodec(newType)
	m.step = func(ctx context.Context, object map[string]json.RawMessage) error {
		var old Old
		if err := takeFields(oldCodec, oldFields, object, reflect.ValueOf(&old).Elem()); err != nil {
			return err
		}
		result, err := step(ctx, old)
		if failed(err) {
			return err
		}
		return errors.Join(err, putFields(newCodec, newFields, object, reflect.ValueOf(&result).Elem()))
	}
	return m
}

// Rename returns a migration that only renames attributes, to upgrade an object from schema
// version from to the next. The arguments oldAndNew are pairs of the old and the new name.
func Rename(from int, oldAndNew ...string) Migration {
	m := Migration{from: int64(from), renamed: make(map[string]string, len(oldAndNew)/2)}
	if len(oldAndNew) == 0 || len(oldAndNew)%2 != 0 {
		m.err = errors.New("Rename needs pairs of an old and a new name")
		return m
	}
	taken := make(map[string]bool, len(oldAndNew)/2)
	for i := 0; i < len(oldAndNew); i += 2 {
		was, is := oldAndNew[i], oldAndNew[i+1]
		if m.renamed[was] != "" || taken[is] {
			m.err = fmt.Errorf("Rename of %q to %q: one of the names is already in another pair", was, is)
			return m
		}
		m.renamed[was], taken[is] = is, true
	}
	m.step = func(_ context.Context, object map[string]json.RawMessage) error {
		values := make(map[string]json.RawMessage, len(m.renamed))
		for was, is := range m.renamed {
			if raw, ok := object[was]; ok {
				values[is] = raw
				delete(object, was)
			}
		}
		maps.Copy(object, values) // after the removals, because names may be swapped
		return nil
	}
	return m
}

// takeFields moves the attributes of a struct out of a stored object.
func takeFields(codec *wire.Codec, fields []*field, object map[string]json.RawMessage, dst reflect.Value) error {
	part := make(map[string]json.RawMessage, len(fields))
	for _, f := range fields {
		if raw, ok := object[f.name]; ok {
			part[f.name] = raw
			delete(object, f.name)
		}
	}
	raw, err := json.Marshal(part)
	if err != nil {
		return err
	}
	v, err := codec.DecodeStateJSON(raw)
	if err != nil {
		return err
	}
	var d decoder
	d.object(fields, v, dst)
	return d.err()
}

// putFields moves the attributes of a struct into a stored object.
func putFields(codec *wire.Codec, fields []*field, object map[string]json.RawMessage, src reflect.Value) error {
	v, err := encoder{}.object(fields, src, cty.NilVal)
	if err != nil {
		return err
	}
	raw, err := codec.AppendJSON(nil, v)
	if err != nil {
		return err
	}
	var part map[string]json.RawMessage
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	maps.Copy(object, part)
	return nil
}

// migrations are the migrations of a type, by the version that they start from.
type migrations map[int64]Migration

// collectMigrations returns the migrations by version. It returns an error unless each
// version from the oldest to the one before the current has exactly one valid migration.
// A migration from a negative version, the current one or a later one is an error too.
func collectMigrations(steps []Migration, current int64) (migrations, error) {
	ms := make(migrations, len(steps))
	oldest := current
	var errs []error
	for _, step := range steps {
		_, twice := ms[step.from]
		switch {
		case step.err != nil:
			errs = append(errs, fmt.Errorf("the step from version %d: %w", step.from, step.err))
		case step.step == nil:
			errs = append(errs, errors.New("a step is empty; use Migrate or Rename"))
		case twice:
			errs = append(errs, fmt.Errorf("there are two steps from version %d", step.from))
		case step.from < 0 || step.from >= current:
			errs = append(errs, fmt.Errorf("the step from version %d has no target: the current version is %d", step.from, current))
		}
		ms[step.from] = step
		oldest = min(oldest, step.from)
	}
	for v := oldest; v < current; v++ {
		if _, ok := ms[v]; !ok {
			errs = append(errs, fmt.Errorf("the step from version %d is missing", v))
		}
	}
	return ms, errors.Join(errs...)
}

// decode upgrades a stored object from a version to the current one, and decodes it. The error
// may consist of warnings only; after any other error the value is [cty.NilVal].
func (ms migrations) decode(ctx context.Context, codec *wire.Codec, raw []byte, from, to int64) (cty.Value, error) {
	var warnings error
	if from < to {
		if raw, warnings = ms.run(ctx, raw, from, to); failed(warnings) {
			return cty.NilVal, warnings
		}
	}
	v, err := codec.DecodeStateJSON(raw)
	return v, errors.Join(warnings, err)
}

// run upgrades a stored object from a version to the current one. The error may consist of
// warnings only.
func (ms migrations) run(ctx context.Context, raw []byte, from, to int64) ([]byte, error) {
	var warnings error
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, fmt.Errorf("the stored object is not a JSON object: %w", err)
	}
	if object == nil {
		return raw, nil // null
	}
	for v := from; v < to; v++ {
		step, ok := ms[v]
		if !ok {
			return nil, fmt.Errorf("this version of the provider cannot read objects of schema version %d (it reads %s); first apply with an earlier version of the provider that reads such objects", v, ms.readable(to))
		}
		if err := step.step(ctx, object); err != nil {
			warnings = errors.Join(warnings, fmt.Errorf("migrating from schema version %d to %d: %w", v, v+1, err))
		}
		if failed(warnings) {
			return nil, warnings
		}
	}
	upgraded, err := json.Marshal(object)
	return upgraded, errors.Join(warnings, err)
}

func (ms migrations) readable(current int64) string {
	oldest := current
	for v := range ms {
		oldest = min(oldest, v)
	}
	if oldest == current {
		return fmt.Sprintf("version %d only", current)
	}
	return fmt.Sprintf("versions %d to %d", oldest, current)
}
