package runtime

import "reflect"

// DataSourceRegistration is a data source type ready to be part of a
// [Definition]. The zero value is not usable.
type DataSourceRegistration struct{ registration[dataSource] }

type dataSource struct {
	*form
	typeName   string // set by New
	configType reflect.Type
}

func (d *dataSource) named(typeName string) reflect.Type {
	d.typeName = typeName
	return d.configType
}
