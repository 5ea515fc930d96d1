package runtime

// MetaRegistration is a provider_meta block ready to be part of a [Definition].
// The zero value is none.
type MetaRegistration struct {
	meta *metaPlan
	err  error
}

type metaPlan struct{ *form }
