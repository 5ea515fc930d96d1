package states

// DeposedKey names a deposed object of an instance: 8 hexadecimal digits.
type DeposedKey string

// NotDeposed is no key: the object is current.
const NotDeposed = DeposedKey("")
