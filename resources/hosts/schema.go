package hosts

import "github.com/posixform/terraform-provider-posix/runtime"

// What may come from something that is created in the same run is a Value: a
// plan goes on without it, as far as nothing needs the host.
type (
	text  = runtime.Value[string]
	texts = runtime.Value[[]text]
)

// Provider manages POSIX hosts: their files, directories and links, and what
// commands make there. The machine that it runs on is the host `local`, which needs
// no configuration; any number of others are reached over SSH.
type Provider struct {
	// The machines that resources can be on, by the names that their attribute
	// `host` has. What a host leaves unset is as the provider's own attribute of
	// the same name says. Two names are two hosts, even if they turn out to be one
	// machine. A value that is known only after apply, such as the address of a
	// machine that is created in the same run, is no obstacle to planning what is
	// to be created on it.
	Hosts runtime.Value[map[string]runtime.Value[Host]]

	// The host of everything that names none: a name in `hosts`, or a destination
	// as `host` takes it. The default is `local`.
	DefaultHost *string

	// How many connections may be open at the same time, over all hosts. When there
	// are more hosts, the connection that has been idle the longest is closed for
	// the next one. There is no limit by default.
	MaxConnections *int64

	Settings
}

// Host is one machine.
type Host struct {
	// The name or IP address of the machine, or an alias in the SSH configuration.
	// The default is the name of the host.
	Address text

	// The only keys that the host may have: public keys (`ssh-ed25519 AAAA…`), or
	// fingerprints of such (`SHA256:…`, as `ssh-keygen -lf` prints them). No
	// known_hosts file is asked then.
	HostKey texts

	Settings
}

// Settings are what hosts have in common: for one host, or for all that do not
// say otherwise.
type Settings struct {
	// The user who logs in. The default is the one in the SSH configuration, or
	// else the user who runs the provider.
	User text

	// The port. The default is the one in the SSH configuration, or else 22.
	Port runtime.Value[uint16]

	// The private key, as text. Where a key or a password is set, nothing else is
	// tried, but an agent where `agent` asks for it; where none is, the agent and
	// the keys that the SSH configuration names are. The environment
	// variables are `POSIX_PRIVATE_KEY` and `POSIX_HOST_NAME_PRIVATE_KEY`, where
	// NAME is the name of the host in capitals, with `_` for what is neither letter
	// nor digit.
	PrivateKey text `tf:",sensitive"`

	// The path of the file with the private key, on the machine where the provider
	// runs. A `~/` is the home of the user who runs it. The environment variables
	// are `POSIX_PRIVATE_KEY_PATH` and `POSIX_HOST_NAME_PRIVATE_KEY_PATH`.
	PrivateKeyPath text

	// What the private key is encrypted with. The environment variables are
	// `POSIX_PASSPHRASE` and `POSIX_HOST_NAME_PASSPHRASE`.
	Passphrase text `tf:",sensitive"`

	// The certificate of the private key, as text. The one beside the file of a key
	// (`id_ed25519-cert.pub`) is found without.
	Certificate text

	// The path of the file with the certificate.
	CertificatePath text

	// The password, for password and keyboard-interactive authentication. The
	// environment variables are `POSIX_PASSWORD` and `POSIX_HOST_NAME_PASSWORD`.
	Password text `tf:",sensitive"`

	// Whether to try the keys of an SSH agent. The default is to do so where
	// neither a key nor a password is set.
	Agent runtime.Value[bool]

	// The path of the agent's socket. The default is the one in the SSH
	// configuration, or else what `SSH_AUTH_SOCK` says.
	AgentSocket text

	// What to do when the key of a host is not known:
	//   - `strict`: refuse it;
	//   - `accept_new`: take it, and write it into the first of `known_hosts_files`;
	//   - `insecure`: take any key, also another one than the known one, each
	//     time. Whoever answers is then trusted with everything.
	//
	// The default is what the SSH configuration says, which cannot be `insecure`, or
	// else `strict`.
	HostKeyPolicy text

	// Keys of hosts, beside those in the files.
	KnownHosts texts

	// The paths of known_hosts files. The default are those of the SSH
	// configuration, or else `~/.ssh/known_hosts` and `/etc/ssh/ssh_known_hosts`.
	KnownHostsFiles texts

	// The hosts to go through, the first first: names in `hosts`, or destinations.
	// None at all is an empty list; when unset, it is as the SSH configuration
	// says. Set for all hosts, it does not apply to those in it.
	ProxyJump texts

	// Which SSH configuration says what is not set here: the path of a file instead
	// of `~/.ssh/config` and `/etc/ssh/ssh_config`, or `none`. Of its keywords, these
	// have effect: Host, Match (by names and users), Include, HostName, Port, User,
	// IdentityFile, IdentityAgent, IdentitiesOnly, CertificateFile, ProxyJump,
	// UserKnownHostsFile, GlobalKnownHostsFile, HostKeyAlias, HostKeyAlgorithms,
	// StrictHostKeyChecking, ConnectTimeout, ServerAliveInterval and
	// ServerAliveCountMax. ProxyCommand, Match with exec, and what else would
	// change where a connection goes or whom it trusts, are errors where they apply.
	SSHConfig text `tf:"ssh_config"`

	// Whose rights are used on the host, where those of `user` do not suffice. What
	// the object of a host leaves unset is as in that for all hosts.
	Sudo runtime.Value[Sudo]

	// How long one attempt to connect and log in may take, such as "10s". The default
	// is that of the SSH configuration, or else 20 s.
	ConnectTimeout runtime.Value[runtime.Duration]

	// How often a connection that could not be made is tried again, with growing
	// pauses. A login that is refused is never tried again. The default is 5.
	ConnectRetries runtime.Value[int64]

	// After how long a silence a host is asked whether it is still there, such as
	// "15s"; "0s" is never. The default is that of the SSH configuration, or else 15 s.
	KeepAlive runtime.Value[runtime.Duration]

	// How many such questions may stay without an answer before the connection is
	// given up. The default is that of the SSH configuration, or else 3.
	KeepAliveCount runtime.Value[int64]

	// How many sessions to have open on a connection at the same time. Where the
	// server allows fewer (`MaxSessions` of its configuration), that is found out. The
	// default is 10.
	MaxSessions runtime.Value[int64]
}

// Sudo is becoming another user on a host.
type Sudo struct {
	// Whether to do so. The default is true; false is for a host that does not need
	// what all others have.
	Enabled runtime.Value[bool]

	// The user to become. The default is `root`.
	User text

	// The password that sudo asks for, where it does: that of the user who logs in.
	// The environment variables are `POSIX_SUDO_PASSWORD` and
	// `POSIX_HOST_NAME_SUDO_PASSWORD`.
	Password text `tf:",sensitive"`
}

// Constraints is part of [runtime.Constrainer].
func (*Provider) Constraints() []runtime.Constraint {
	return append(settingsRules(),
		runtime.Keys(runtime.Check("hosts", "must consist of letters, digits, dots, dashes and underscores, and must not be `local`", checkName)),
		runtime.Check("hosts", "", checkJumps),
		runtime.Check("default_host", "", checkHost),
		runtime.AtLeast[int64]("max_connections", 1),
	)
}

// Constraints is part of [runtime.Constrainer].
func (*Host) Constraints() []runtime.Constraint {
	return append(settingsRules(),
		runtime.Check("address", "", checkAddress),
		runtime.Each(runtime.Check("host_key", "must be a public key or a fingerprint", checkHostKey)),
		runtime.Length("host_key", 1, 0),
		runtime.ForbiddenWhen("host_key", "host_key_policy", "insecure"),
	)
}

func settingsRules() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Range[uint16]("port", 1, 65535),
		runtime.Check("user", "", checkUser),
		runtime.AtMostOneOf("private_key", "private_key_path"),
		runtime.Check("private_key_path", "", checkPath),
		runtime.Check("private_key", "", checkPrivateKey),
		runtime.AtMostOneOf("certificate", "certificate_path"),
		runtime.Check("certificate", "", checkCertificate),
		runtime.Check("certificate_path", "", checkPath),
		runtime.ForbiddenWhen("agent_socket", "agent", false),
		runtime.Check("agent_socket", "", checkPath),
		runtime.OneOf("host_key_policy", "strict", "accept_new", "insecure"),
		runtime.Each(runtime.Check("known_hosts", "must be lines in the format of a known_hosts file", checkKnownHosts)),
		runtime.Each(runtime.Check("known_hosts_files", "must be a path", checkPath)),
		runtime.Each(runtime.Check("proxy_jump", "must be a host", checkJump)),
		runtime.Check("ssh_config", "", checkPath),
		runtime.Check("connect_timeout", "", checkPositive),
		runtime.Range[int64]("connect_retries", 0, 100),
		runtime.Range[int64]("keep_alive_count", 1, 1000),
		runtime.Range[int64]("max_sessions", 1, 1000),
	}
}
