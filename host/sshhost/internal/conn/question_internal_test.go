package conn

import "testing"

// TestAsksForPassword checks which keyboard-interactive questions are for the user's password.
func TestAsksForPassword(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"Password: ": true, "(jane@web) Password: ": true, "jane's password:": true, "Passwort: ": true, "Mot de passe : ": true, "パスワード: ": true, "Current password: ": true,
		"": false, "Verification code: ": false, "One-time password (OATH) for `jane': ": false, "Passcode or option (1-3): ": false, "New password: ": false,
		"Enter new UNIX password: ": false, "Retype password: ": false, "Name of your first pet: ": false, "Enter your AWS secret key: ": false,
	} {
		if got := asksForPassword(question); got != want {
			t.Errorf("%q: got %t, want %t", question, got, want)
		}
	}
}
