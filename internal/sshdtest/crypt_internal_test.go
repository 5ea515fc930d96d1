package sshdtest

import "testing"

// TestCrypt compares hashes with those of crypt(3).
func TestCrypt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ password, salt, want string }{
		{"secret", "saltsalt", "LAV5VE5Y7w1d73x1mFNspYWUpazfmwv2SoepNXNKJ/otop/Zok96Hr8Q13LEv0DRY/x8v0/crpIjl8NJSAqXV/"},
		{
			"Hello world! this is a very long password of more than sixty-four bytes, it really is", "ab",
			"8Xgz9NISlafwNV.vzlqN0sxhtLreDaM8Uy6qF33Ckd45MA/fg0vu2ybVJmJR5e/u7bMmL2v9qBNKZQ0jVB5Z1.",
		},
	} {
		if got, want := crypt(tt.password, tt.salt), "$6$rounds=1000$"+tt.salt+"$"+tt.want; got != want {
			t.Errorf("%s: got %s, want %s", tt.password, got, want)
		}
	}
}
