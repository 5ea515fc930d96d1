package sshkey

import (
	"errors"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// AuthorizedKey manages a public key that may log in as a user over SSH: its line in
// `.ssh/authorized_keys` of the user's home directory. Other lines stay as they are, byte
// for byte. Drift of the key's options and comment, further lines of the same key, and
// that others may write to the file or its directory, which sshd does not put up with,
// are found by every plan and repaired.
//
// What is missing is made: the directory with mode 0700, the file with 0600. Both are
// read and written by the user, also where the provider works as root, so that no link
// in a home directory leads to what the user may not touch; links in place of the
// two are an error. When the resource is destroyed, the line is taken out, and the file
// stays.
//
// A key that is there already with the same options and comment is adopted when the
// resource is created; one with others is an error. Where sshd reads another file
// (`AuthorizedKeysFile`), manage that with `posix_file` or `posix_file_block`.
type AuthorizedKey struct {
	// The host that the user is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new line.
	Host *string

	// The user who can log in with the key, by name. The user and the home directory
	// have to exist when this is applied. The provider has to work as root, or as this
	// user. Changing it makes a new line.
	User string

	// The public key: the line of a file that ends with `.pub`, which has the type, the
	// base64 and a comment, as `ssh-ed25519 AAAA… alice@laptop`. Another comment changes the
	// line, another key makes a new one.
	Key PublicKey

	// What the key may be used for, in the words of sshd, as `restrict`, `from=192.0.2.0/24`
	// or `command=/usr/bin/rrsync /srv`. Values are written without quotes around them,
	// which they get in the file. The default is none: the key may do everything that
	// the user may.
	Options []option
}

// Output is what is known of a key that may log in.
type Output struct {
	Host    *string `tf:",computed"`
	User    string
	Key     PublicKey
	Options []option

	// The fingerprint of the key, as `ssh-keygen -l` and the log of sshd show it:
	// `SHA256:…`.
	Fingerprint string
	// Whether there is one line of the key, as it is shown here, and nobody else may write
	// to the file or its directory. When that is not so, an update makes it so.
	Intact bool
}

// Identity tells one key of one user from others.
type Identity struct {
	// The host: a name in the provider's configuration, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. For import it can
	// be left out; it is then the provider's default host.
	Host *string
	// The user who can log in with the key.
	User string
	// The fingerprint of the key: `SHA256:…`.
	Fingerprint string
}

// PublicKey is a key with its comment.
type PublicKey string

// SemanticEquals says that blanks and line ends around the words make no difference.
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
	_ runtime.TypedResource[AuthorizedKey, *Output, *target.Hosts]        = (*AuthorizedKey)(nil)
	_ runtime.Defaulter                                                   = (*AuthorizedKey)(nil)
	_ runtime.Constrainer                                                 = (*AuthorizedKey)(nil)
	_ runtime.InputValidator[*target.Hosts]                               = (*AuthorizedKey)(nil)
	_ runtime.Replacer[AuthorizedKey]                                     = (*AuthorizedKey)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                                = (*AuthorizedKey)(nil)
	_ runtime.ResourcePlanModifier[AuthorizedKey, *Output, *target.Hosts] = (*AuthorizedKey)(nil)
	_ runtime.Identifier[Identity, *Output, *target.Hosts]                = (*AuthorizedKey)(nil)
	_ runtime.ImportIDParser[Identity]                                    = (*AuthorizedKey)(nil)
	_ runtime.SemanticEqualer[PublicKey]                                  = PublicKey("")
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[AuthorizedKey, *Output, *target.Hosts]()
}

// SchemaVersion is part of [runtime.TypedResource].
func (*AuthorizedKey) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*AuthorizedKey) ReplaceFields() []string { return []string{"host", "user"} }

// ReplaceOn is part of [runtime.Replacer]. The same key with another comment is the same.
func (*AuthorizedKey) ReplaceOn(field string, prior, current AuthorizedKey) bool {
	return field == "key" && prior.Key != "" && prior.line().key != current.line().key
}

// Defaults is part of [runtime.Defaulter].
func (k *AuthorizedKey) Defaults() { k.Options = []option{} }

func checkUser(name string) error {
	if !target.IsUserName(name) {
		return errors.New("it is the name of a user, as deploy")
	}
	return nil
}

// Constraints is part of [runtime.Constrainer].
func (*AuthorizedKey) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("user", "", checkUser),
		runtime.Check("key", "", func(k PublicKey) error {
			_, err := parsePublic(string(k))
			return err
		}),
		runtime.Check("options", "", checkOptions),
	}
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier].
func (*AuthorizedKey) ModifyResourcePlan(req runtime.ResourcePlanRequest[AuthorizedKey, *Output, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.place())
	if !req.PriorOutputs.Intact {
		resp.MarkOutputUnknown("intact")
	}
	return nil
}

// Identity is part of [runtime.Identifier].
func (*AuthorizedKey) Identity(_ *target.Hosts, out *Output) Identity {
	return Identity{Host: out.Host, User: out.User, Fingerprint: out.Fingerprint}
}

var validFingerprint = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)

// ParseImportID is part of [runtime.ImportIDParser].
func (*AuthorizedKey) ParseImportID(id string) (Identity, error) {
	i := strings.Index(id, "/SHA256:")
	if i < 0 || !validFingerprint.MatchString(id[i+1:]) {
		return Identity{}, errors.New("write the user and the fingerprint of the key, as ssh-keygen -l shows it, as deploy/SHA256:…, or the host before them, as local:deploy/SHA256:…")
	}
	named, err := target.ParseNamed(id[:i], checkUser)
	return Identity{Host: named.Host, User: named.Name, Fingerprint: id[i+1:]}, err
}
