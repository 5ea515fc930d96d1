package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
	stringType  = reflect.TypeFor[string]()
)

// methodType has the parameters and results of a method, without the receiver. It is
// compared directly: making a reflect.Type for each of the many optional methods, most of
// which a type does not have, would dominate the cost of a registration. For the same
// reason signatures are declared once for all types, with placeholders for the types that
// differ.
type methodType struct{ in, out []reflect.Type }

func signature(in []reflect.Type, out ...reflect.Type) methodType {
	return methodType{in, out}
}

// Placeholders in a signature.
var (
	inputPlace       = reflect.TypeFor[struct{ in struct{} }]()
	outputPlace      = reflect.TypeFor[struct{ out struct{} }]()
	configPlace      = reflect.TypeFor[struct{ config struct{} }]()
	identityPlace    = reflect.TypeFor[struct{ identity struct{} }]()
	planRequestPlace = reflect.TypeFor[struct{ planRequest struct{} }]()
)

// typeArgs has the type for each placeholder.
type typeArgs struct{ in, out, config, identity, planRequest reflect.Type }

func (p *typeArgs) of(t reflect.Type) reflect.Type {
	switch t {
	case inputPlace:
		return p.in
	case outputPlace:
		return p.out
	case configPlace:
		return p.config
	case identityPlace:
		return p.identity
	case planRequestPlace:
		return p.planRequest
	}
	return t
}

// filled returns the type with the types of p instead of the placeholders.
func (t methodType) filled(p *typeArgs) methodType {
	fill := func(types []reflect.Type) []reflect.Type {
		types = slices.Clone(types)
		for i := range types {
			types[i] = p.of(types[i])
		}
		return types
	}
	return methodType{in: fill(t.in), out: fill(t.out)}
}

// is reports whether method, whose first parameter is the receiver, has the type t with the types of p.
func (t methodType) is(method reflect.Type, p *typeArgs) bool {
	if method.IsVariadic() || method.NumIn() != len(t.in)+1 || method.NumOut() != len(t.out) {
		return false
	}
	for i, in := range t.in {
		if method.In(i+1) != p.of(in) {
			return false
		}
	}
	for i, out := range t.out {
		if method.Out(i) != p.of(out) {
			return false
		}
	}
	return true
}

func (t methodType) String() string { return reflect.FuncOf(t.in, t.out, false).String() }

// optionalMethod is an optional method, and the interface that declares it.
type optionalMethod struct {
	name  string
	iface string
	want  methodType
	// others are names that the method has in other libraries and that authors may use by mistake.
	others []string
}

var boolType, migrationsType = reflect.TypeFor[bool](), reflect.TypeFor[[]Migration]()

// structMethods are the optional methods of any struct of inputs, including nested ones.
var structMethods = []optionalMethod{
	{"Defaults", "Defaulter", signature(nil), []string{"SetDefaults"}},
	{"Constraints", "Constrainer", signature(nil, reflect.TypeFor[[]Constraint]()), []string{"Validators", "ConfigValidators"}},
	{"Descriptions", "Describer", signature(nil, reflect.TypeFor[map[string]string]()), nil},
}

// inputMethods are the optional methods of the inputs of every family; checkDefaults rejects
// OperationTimeouts for families without timeouts.
var inputMethods = slices.Concat(structMethods, []optionalMethod{
	{"ValidateInputs", "InputValidator", signature([]reflect.Type{contextType, configPlace}, errorType), []string{"Validate", "ValidateConfig"}},
	{"OperationTimeouts", "TimeoutDeclarer", signature(nil, reflect.TypeFor[OperationTimeouts]()), []string{"Timeouts"}},
})

// managedMethods are the optional methods of a managed resource. The identity type in them
// is the result of the Identity method.
var managedMethods = slices.Concat(inputMethods, []optionalMethod{
	{"SchemaVersion", "SchemaVersioner", signature(nil, reflect.TypeFor[int]()), nil},
	{"DefaultsWith", "ConditionalDefaulter", signature([]reflect.Type{stringType}), nil},
	{"ReplaceFields", "ReplaceDeclarer", signature(nil, reflect.TypeFor[[]string]()), []string{"RequiresReplace"}},
	{"EquivalentInput", "InputEquivalencer", signature([]reflect.Type{stringType, inputPlace, inputPlace}, boolType), nil},
	{"EquivalentInputContext", "ContextInputEquivalencer", signature([]reflect.Type{contextType, stringType, inputPlace, inputPlace}, boolType), nil},
	{"ReplaceOn", "Replacer", signature([]reflect.Type{stringType, inputPlace, inputPlace}, boolType), nil},
	{"ModifyResourcePlan", "ResourcePlanModifier", signature([]reflect.Type{planRequestPlace, reflect.TypeFor[*ResourcePlanResponse]()}, errorType), []string{"ModifyPlan", "CustomizeDiff"}},
	{"PlanOutputs", "OutputPlanner", signature([]reflect.Type{contextType, configPlace, reflect.TypeFor[*OutputPlan]()}, errorType), nil},
	{"Identity", "Identifier", signature([]reflect.Type{configPlace, outputPlace}, identityPlace), []string{"IdentitySchema"}},
	{"MutableIdentity", "IdentityMutator", signature(nil, boolType), nil},
	{"IdentityVersion", "IdentityVersioner", signature(nil, reflect.TypeFor[int]()), nil},
	{"IdentityMigrations", "IdentityMigrator", signature(nil, migrationsType), []string{"UpgradeIdentity"}},
	{"ParseImportID", "ImportIDParser", signature([]reflect.Type{stringType}, identityPlace, errorType), nil},
	{"Import", "Importer", signature([]reflect.Type{contextType, configPlace, identityPlace}, outputPlace, errorType), []string{"ImportState"}},
	{"ImportByID", "IDImporter", signature([]reflect.Type{contextType, configPlace, stringType}, outputPlace, errorType), []string{"ImportState"}},
	{"Migrations", "Migrator", signature(nil, migrationsType), []string{"UpgradeState", "StateUpgraders"}},
	{"Moves", "Mover", signature(nil, reflect.TypeFor[[]Move]()), []string{"MoveState"}},
	{"Locks", "Locker", signature([]reflect.Type{configPlace}, reflect.TypeFor[[]string]()), nil},
})

// noIdentity is the identity type in signatures of types without one.
type noIdentity struct{}

// checkMethods returns an error for methods that would never be called: methods with the
// name of an optional method and a different signature, methods with a similar name, and methods
// that several embedded structs have. It also returns an error if Defaults has no pointer
// receiver. The first result has the names of the optional methods that the type has.
func checkMethods(pointer reflect.Type, optional []optionalMethod, p *typeArgs) (found []string, err error) {
	var errs []error
	embedded := embeddedStructs(pointer.Elem())
	for i := range optional {
		opt := &optional[i]
		m, ok := pointer.MethodByName(opt.name)
		if !ok {
			if err := ambiguousMethod(pointer.Elem(), embedded, opt.name); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		found = append(found, opt.name)
		if !opt.want.is(m.Type, p) {
			errs = append(errs, fmt.Errorf("method %s has the wrong signature and would never be called: it is %s and must be %s (runtime.%s)",
				opt.name, withoutReceiver(m.Type), opt.want.filled(p), opt.iface))
		}
	}
	if slices.Contains(found, "Defaults") {
		if _, onValue := pointer.Elem().MethodByName("Defaults"); onValue {
			errs = append(errs, fmt.Errorf("method Defaults sets the defaults in a copy: its receiver must be a pointer, *%s", pointer.Elem().Name()))
		}
	}
	errs = append(errs, misnamedMethods(pointer, optional, p)...)
	return found, errors.Join(errs...)
}

// ambiguousMethod returns an error if an embedded struct has a method that the
// struct itself does not have: another embedded struct has it too, so Go promotes
// neither.
func ambiguousMethod(t reflect.Type, embedded []reflect.Type, method string) error {
	if method == "Descriptions" { // the runtime calls it on each embedded struct
		return nil
	}
	for _, e := range embedded {
		if _, ok := reflect.PointerTo(e).MethodByName(method); ok {
			return fmt.Errorf("method %s of the embedded %s would never be called, because another embedded struct has one too; add a method to %s that calls both",
				method, e, t)
		}
	}
	return nil
}

func embeddedStructs(t reflect.Type) []reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var embedded []reflect.Type
	for i := range t.NumField() { //nolint:modernize // the iterator costs as much as all the rest of it
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			embedded = append(embedded, f.Type)
		}
	}
	return embedded
}

// checkManagedMethods is checkMethods for a managed resource. It also checks the result of Identity,
// and that the resource has the methods that its optional methods need, and no two that exclude each other.
func checkManagedMethods(o *ops) error {
	pointer := reflect.PointerTo(o.inType)
	p := typeArgs{
		in: o.inType, out: reflect.PointerTo(o.outType), config: o.methodConfig, planRequest: o.planRequest,
		identity: reflect.TypeFor[noIdentity](),
	}
	var errs []error
	optional := managedMethods
	if m, ok := pointer.MethodByName("Identity"); ok {
		if p.identity = identityOf(m); p.identity == nil {
			errs = append(errs, fmt.Errorf("method Identity must return a struct, the identity; it is %s", withoutReceiver(m.Type)))
			optional = slices.DeleteFunc(slices.Clone(optional), func(o optionalMethod) bool { return o.name == "Identity" || slices.Contains(identityMethods, o.name) })
		}
	}
	found, err := checkMethods(pointer, optional, &p)
	errs = append(errs, err)
	has := func(name string) bool { return slices.Contains(found, name) }
	for _, name := range identityMethods {
		if has(name) && !has("Identity") {
			errs = append(errs, fmt.Errorf("method %s needs the method Identity, which is missing", name))
		}
	}
	if has("ImportByID") && has("Identity") {
		errs = append(errs, errors.New("method ImportByID is for resources without an identity; use ParseImportID and Import with Identity"))
	}
	if has("EquivalentInput") && has("EquivalentInputContext") {
		errs = append(errs, errors.New("method EquivalentInput would never be called, because EquivalentInputContext is called instead; remove one of them"))
	}
	return errors.Join(errs...)
}

// identityOf returns the struct type that a method Identity returns, or nil if it does not return a single struct.
func identityOf(method reflect.Method) reflect.Type {
	if method.Type.NumOut() != 1 || method.Type.Out(0).Kind() != reflect.Struct {
		return nil
	}
	return method.Type.Out(0)
}

// identityMethods have no effect without an identity.
var identityMethods = []string{"ParseImportID", "Import", "MutableIdentity", "IdentityVersion", "IdentityMigrations"}

func withoutReceiver(method reflect.Type) reflect.Type {
	return reflect.FuncOf(slices.Collect(method.Ins())[1:], slices.Collect(method.Outs()), method.IsVariadic())
}

// requiredMethods are the methods that the types of at least one family must have.
var requiredMethods = []string{
	"Create", "Read", "Update", "Delete", "Open", "Invoke", "List", "Write", "Lock", "Unlock",
}

// misnamedMethods returns an error for each method that is probably meant as an optional method
// and has a different name: it would never be called. A method with neither parameters nor results
// can only be meant as Defaults.
func misnamedMethods(pointer reflect.Type, optional []optionalMethod, p *typeArgs) (errs []error) {
	for i := range pointer.NumMethod() { //nolint:modernize // the iterator allocates
		m := pointer.Method(i)
		if slices.Contains(requiredMethods, m.Name) || isOptional(m.Name, optional) || isOptional(m.Name, managedMethods) {
			continue
		}
		var meant []string
		for j := range optional {
			opt := &optional[j]
			bare := m.Type.NumIn() == 1 && m.Type.NumOut() == 0
			if opt.resembles(m.Name) && (!bare || opt.name == "Defaults") {
				meant = append(meant, fmt.Sprintf("%s %s of runtime.%s", opt.name, opt.want.filled(p), opt.iface))
			}
		}
		if len(meant) > 0 {
			errs = append(errs, fmt.Errorf("method %s would never be called: the optional method is %s; rename it, even if it is meant for something else",
				m.Name, strings.Join(meant, " or ")))
		}
	}
	return errs
}

// ofWholeObjects are the optional methods about inputs that the runtime does not call on a nested
// struct or a block of the provider, although it calls other methods about inputs on them. Methods
// such as Import are not here, because a struct may use their names for something else.
var ofWholeObjects = []string{
	"ValidateInputs", "OperationTimeouts", "DefaultsWith", "ReplaceFields", "EquivalentInput", "EquivalentInputContext",
	"ReplaceOn", "ModifyResourcePlan", "PlanOutputs",
}

// misplacedMethods returns an error for each method of ofWholeObjects that a struct has, unless the
// struct has a required method too, because it may then also be registered. The errors contain what,
// the kind of the struct, and use, the alternative to the method.
func misplacedMethods(pointer reflect.Type, what, use string) error {
	has := func(name string) bool {
		_, ok := pointer.MethodByName(name)
		return ok
	}
	if slices.ContainsFunc(requiredMethods, has) {
		return nil
	}
	var errs []error
	for _, name := range ofWholeObjects {
		if has(name) {
			errs = append(errs, fmt.Errorf("method %s would never be called by the runtime: it is for the inputs of a whole object, not for a %s; use %s, or rename it if you call it", name, what, use))
		}
	}
	return errors.Join(errs...)
}

func isOptional(name string, methods []optionalMethod) bool {
	return slices.ContainsFunc(methods, func(o optionalMethod) bool { return o.name == name })
}

// resembles reports whether name is probably meant as that of the method: one of its other
// names, the singular or plural, or a misspelling of a name that is not short.
func (o *optionalMethod) resembles(name string) bool {
	a, b := strings.ToLower(name), strings.ToLower(o.name)
	switch {
	case slices.Contains(o.others, name), strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s"):
		return true
	case len(b) < 7:
		return false
	case len(b) < 10:
		return distance(a, b) <= 1
	default:
		return distance(a, b) <= 2
	}
}

// distance returns the smallest number of changes that turn a into b. A change inserts, removes or
// replaces a letter, or swaps it with the next one. No letter changes twice.
func distance(a, b string) int {
	// Rows of the usual table of edit distances; only the last three are needed.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
