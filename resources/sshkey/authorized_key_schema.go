package sshkey

import (
	"errors"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// AuthorizedKey manages an SSH public key that is authorized for logins as a user: its
// line in `.ssh/authorized_keys` in the user's home directory. Other lines stay
// unchanged, byte for byte.
//
// Every plan detects drift of the options and the comment of the key. Further lines with
// the same key are also drift, and so are permissions that let other users write to the
// file or its directory, which sshd does not accept. The next apply repairs the drift. An
// update fails if, after the plan was made, the options or the comment were changed to
// values other than the configured ones, or a second line was added for a key that was
// `intact`: a new plan shows that change.
//
// On create, a key with the same options and comment is adopted. A key with different
// options or a different comment is an error: import it to see in a plan what would
// change. A missing `.ssh` directory is created with mode `0700`. The `authorized_keys`
// file gets mode `0600` when it is created or changed. The directory and the file are
// accessed as the user, even if the provider runs as root on the host, so that a
// symbolic link in a home directory cannot lead to files that the user must not access.
// A symbolic link in place of the directory or the file is not followed: the plan shows a warning, and the
// apply of this resource fails.
//
// On destroy, the line is removed and the file is kept.
//
// If sshd reads a different file (`AuthorizedKeysFile`), manage that file with
// `posix_file` or `posix_file_block`.
type AuthorizedKey struct {
	// Host to manage the key on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the user who can log in with the key. The user and the home directory must
	// exist at apply time. The provider must run as root or as this user on the host.
	// Changing this forces a new resource.
	User string

	// Public key, as in a `.pub` file: type, base64 data and comment, such as
	// `ssh-ed25519 AAAA… alice@laptop`. A change of the comment updates the line in
	// place; a different key forces a new resource.
	Key PublicKey

	// Options of the key, in the syntax of sshd, such as `restrict`, `from=192.0.2.0/24` or
	// `command=/usr/bin/rrsync /srv`. Write values without quotes; the provider quotes them
	// in the file. Defaults to none: the use of the key is not restricted.
	Options []option
}

// Output is the state of a managed key.
type Output struct {
	Host    *string `tf:",computed"`
	User    string
	Key     PublicKey
	Options []option

	// Fingerprint of the key, as shown by `ssh-keygen -l` and in the log of sshd:
	// `SHA256:…`.
	Fingerprint string
	// Whether there is exactly one line with the key, in the form that the provider
	// writes, and no other user can write to the file or its directory. If `false`, the
	// next apply rewrites the line and corrects the permissions.
	Intact bool
}

// Identity identifies a key of a user.
type Identity struct {
	// Host of the user: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host` on import.
	Host *string
	// Name of the user who can log in with the key.
	User string
	// Fingerprint of the key: `SHA256:…`.
	Fingerprint string
}

// PublicKey is a key with its comment.
type PublicKey string

// SemanticEquals reports whether the keys are equal except for blanks around the type, the
// base64 and the comment, and for line endings before and after the whole text.
func (k PublicKey) SemanticEquals(other PublicKey) bool {
	return k == other || k.canonical() == other.canonical()
}

func (k PublicKey) canonical() string {
	l, err := parsePublic(string(k))
	if err != nil {
		return string(k)
	}
	return l.text()
}

var (
	_ runtime.Defaulter                                                      = (*AuthorizedKey)(nil)
	_ runtime.Constrainer                                                    = (*AuthorizedKey)(nil)
	_ runtime.Replacer[AuthorizedKey]                                        = (*AuthorizedKey)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                                = (*AuthorizedKey)(nil)
	_ runtime.ResourcePlanModifier[AuthorizedKey, *Output, *lifecycle.Scope] = (*AuthorizedKey)(nil)
	_ runtime.Identifier[Identity, *Output, *lifecycle.Scope]                = (*AuthorizedKey)(nil)
	_ runtime.ImportIDParser[Identity]                                       = (*AuthorizedKey)(nil)
	_ runtime.SemanticEqualer[PublicKey]                                     = PublicKey("")
)

// Resource returns the registration of posix_authorized_key.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[AuthorizedKey, *Output]()
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*AuthorizedKey) ReplaceFields() []string { return []string{"host", "user"} }

// ReplaceOn implements [runtime.Replacer]. A key whose comment changes is not replaced.
func (*AuthorizedKey) ReplaceOn(field string, prior, current AuthorizedKey) bool {
	return field == "key" && prior.Key != "" && prior.line().key != current.line().key
}

// Defaults implements [runtime.Defaulter].
func (k *AuthorizedKey) Defaults() { k.Options = []option{} }

func checkUser(name string) error {
	if !address.IsUserName(name) {
		return errors.New("must be a user name, such as deploy")
	}
	return nil
}

// Constraints implements [runtime.Constrainer].
func (*AuthorizedKey) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("user", "", checkUser),
		runtime.Check("key", "", func(k PublicKey) error {
			_, err := parsePublic(string(k))
			return err
		}),
		runtime.Check("options", "", checkOptions),
	}
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier].
func (*AuthorizedKey) ModifyResourcePlan(req runtime.ResourcePlanRequest[AuthorizedKey, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	if !req.PriorOutputs.Intact {
		resp.MarkOutputUnknown("intact")
	}
	return nil
}

// Identity implements [runtime.Identifier].
func (*AuthorizedKey) Identity(_ *lifecycle.Scope, out *Output) Identity {
	return Identity{Host: out.Host, User: out.User, Fingerprint: out.Fingerprint}
}

var validFingerprint = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)

// ParseImportID implements [runtime.ImportIDParser].
func (*AuthorizedKey) ParseImportID(id string) (Identity, error) {
	i := strings.Index(id, "/SHA256:")
	if i < 0 || !validFingerprint.MatchString(id[i+1:]) {
		return Identity{}, errors.New("use the user and the fingerprint of the key as shown by ssh-keygen -l, such as deploy/SHA256:…, or with a host, such as local:deploy/SHA256:…")
	}
	named, err := address.ParseNamed(id[:i], checkUser)
	return Identity{Host: named.Host, User: named.Name, Fingerprint: id[i+1:]}, err
}
