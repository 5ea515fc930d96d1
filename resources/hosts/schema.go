package hosts

import (
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Types of settings that can come from another resource. While a setting is unknown, only
// operations that need the host fail.
type (
	text  = runtime.Value[string]
	texts = runtime.Value[[]text]
)

// Provider manages POSIX hosts: files, users, packages, services and the results of
// commands. The host `local` is the one that runs the provider, and needs no
// configuration; any number of other hosts are managed over SSH.
type Provider struct {
	// Hosts that resources can be on. The keys are the names to use in `host`. Settings
	// that a host leaves unset are taken from the provider's attribute of the same name.
	// Two keys are two hosts, even if both have the same address. Values can be
	// unknown until apply, such as the address of a host created in the same apply:
	// resources to be created on it can still be planned.
	Hosts runtime.Value[map[string]runtime.Value[Host]]

	// Host of new objects of resources that do not set `host`: a key of `hosts`, or any
	// other value that `host` supports. Existing objects stay on their host. Defaults to
	// `local`.
	DefaultHost *string

	// Maximum number of open connections to all hosts, not counting those through a jump
	// host. If it is reached, the connection that has been idle the longest is closed; if
	// none is idle, operations on other hosts wait. Defaults to no limit.
	MaxConnections *int64

	Settings
}

// Host is the configuration of a host.
type Host struct {
	// Host name or IP address to connect to, or an alias from the SSH configuration.
	// Defaults to the key of the host.
	Address text

	// Former names of the host: its earlier keys, or destinations such as
	// `root@192.0.2.7:22`. Resources in the state on a host with such a name are on this
	// host: the next refresh changes `host` and the identity in the state, and nothing on
	// the host. Remove a name when no configuration and no state has it any more. Settings
	// and environment variables of the former name do not apply.
	Formerly texts

	// The only accepted host keys: public keys (`ssh-ed25519 AAAA…`), or their
	// fingerprints (`SHA256:…`, as printed by `ssh-keygen -lf`). No known_hosts file is
	// read if this is set.
	HostKey texts

	Settings
}

// Settings are the connection settings of a host, or the defaults for all hosts.
type Settings struct {
	// User to connect as. Defaults to the user from the SSH configuration, or to the user
	// that runs the provider.
	User text

	// SSH port. Defaults to the port from the SSH configuration, or to 22.
	Port runtime.Value[int64]

	// Private key, as text. If a key or a password is set, no other authentication is
	// tried, except an agent if `agent` is `true` or `agent_socket` is set. If neither
	// a key nor a password is set, the agent is tried, and the keys from the SSH
	// configuration, or else `id_ed25519`, `id_ecdsa` and `id_rsa` in `~/.ssh`. Can also be
	// set with the environment variables `POSIX_PRIVATE_KEY` and
	// `POSIX_HOST_NAME_PRIVATE_KEY`, where NAME is the key of the host in `hosts`, in upper
	// case with `_` for every character that is not a letter or digit. Hosts that are not
	// in `hosts` have no variable of their own.
	PrivateKey text `tf:",sensitive"`

	// Path of the private key file on the host that runs the provider. `~/` is the home
	// directory of the user that runs the provider. Can also be set with the environment
	// variables `POSIX_PRIVATE_KEY_PATH` and `POSIX_HOST_NAME_PRIVATE_KEY_PATH`.
	PrivateKeyPath text

	// Passphrase of the private key. Can also be set with the environment variables
	// `POSIX_PASSPHRASE` and `POSIX_HOST_NAME_PASSPHRASE`.
	Passphrase text `tf:",sensitive"`

	// Certificate of the private key, as text. A certificate next to a private key file
	// (`id_ed25519-cert.pub`) is found without this attribute.
	Certificate text

	// Path of the certificate file.
	CertificatePath text

	// Password for password and keyboard-interactive authentication. Can also be set with
	// the environment variables `POSIX_PASSWORD` and `POSIX_HOST_NAME_PASSWORD`.
	Password text `tf:",sensitive"`

	// Whether to try the keys of an SSH agent. Defaults to `true` if `agent_socket` is
	// set, or if neither a key nor a password is set.
	Agent runtime.Value[bool]

	// Path of the agent's socket. Defaults to the socket from the SSH configuration, or
	// to `SSH_AUTH_SOCK`.
	AgentSocket text

	// How to handle an unknown host key:
	//   - `strict`: reject it.
	//   - `accept_new`: accept it, and add it to the first of `known_hosts_files`.
	//   - `insecure`: accept any key on every connection, even one that differs from the
	//     known key, unless `host_key` is set. Anyone who can intercept the connection can
	//     then control the host.
	//
	// Defaults to the policy from the SSH configuration, which cannot be `insecure`, or
	// to `strict`.
	HostKeyPolicy text

	// Host keys in the format of a known_hosts file, in addition to those in the files.
	KnownHosts texts

	// Paths of known_hosts files. Defaults to the files from the SSH configuration, or to
	// `known_hosts` and `known_hosts2` in `~/.ssh`, and `ssh_known_hosts` and
	// `ssh_known_hosts2` in `/etc/ssh`.
	KnownHostsFiles texts

	// Jump hosts to connect through, in this order: keys of `hosts`, or destinations. With
	// an empty list, the provider connects directly. Defaults to the jump hosts from the SSH
	// configuration. If set for all hosts, a jump host is reached through those before it
	// in the list.
	ProxyJump texts

	// SSH configuration that provides the defaults: the path of a file to use instead of
	// `~/.ssh/config` and `/etc/ssh/ssh_config`, or `none`. Supported keywords: Host,
	// Match (all, canonical, final, host, originalhost, user, localuser), Include, HostName,
	// Port, User, IdentityFile, IdentityAgent, IdentitiesOnly, CertificateFile, ProxyJump, ProxyCommand,
	// UserKnownHostsFile, GlobalKnownHostsFile, HostKeyAlias, HostKeyAlgorithms,
	// StrictHostKeyChecking, ConnectTimeout, ServerAliveInterval and ServerAliveCountMax.
	// Other criteria of Match, such as exec, and the keywords CanonicalizeHostname,
	// ProxyUseFdpass and RevokedHostKeys are rejected if they have an effect on a host.
	// Other keywords are ignored. A ProxyCommand is run as by ssh, but without a terminal,
	// so it cannot prompt. It does not get the environment variables that start with
	// `POSIX_`, `TF_` or `PLUGIN_`. `proxy_jump` takes precedence over it. On Windows, a
	// ProxyCommand is an error.
	SSHConfig text `tf:"ssh_config"`

	// Privilege escalation with sudo: all commands and file operations run as another user,
	// by default root. Has no effect on the host `local`. Attributes that a host leaves unset
	// are taken from `sudo` of the provider.
	Sudo runtime.Value[Sudo]

	// Time limit for one attempt to connect and authenticate, such as `"10s"`. Defaults
	// to the limit from the SSH configuration, or to 20 seconds.
	ConnectTimeout runtime.Value[runtime.Duration]

	// Number of times to retry a failed connection, with growing pauses. A failed
	// authentication and a host name that does not exist are not retried. Defaults to `5`.
	ConnectRetries runtime.Value[int64]

	// Keepalive interval: time without a message from the host after which a keepalive is
	// sent, such as `"15s"`. `"0s"` disables keepalives. Defaults to the interval from the
	// SSH configuration, or to 15 seconds.
	KeepAlive runtime.Value[runtime.Duration]

	// Number of unanswered keepalives after which the connection is closed. Defaults to
	// the number from the SSH configuration, or to `3`.
	KeepAliveCount runtime.Value[int64]

	// What to do if the host cannot be reached while resources are read and planned:
	//   - `error`: fail.
	//   - `skip`: keep the last known state of its resources, with one warning for each host
	//     and run, and plan changes from that state, without checks on the host. Applying a
	//     change on the host fails, and so do data sources, ephemeral resources and imports.
	//
	// A rejected authentication or host key is always an error. Defaults to `error`.
	OnUnreachable text

	// Maximum number of concurrent sessions on a connection. If the server allows fewer
	// (`MaxSessions` in its configuration), the provider adapts. Defaults to `10`.
	MaxSessions runtime.Value[int64]
}

// Sudo is the configuration of privilege escalation with sudo.
type Sudo struct {
	// Whether to use sudo. Set to `false` for a host that does not need the `sudo` of the
	// provider. Defaults to `true`.
	Enabled runtime.Value[bool]

	// User to become. Defaults to `root`.
	User text

	// Password for sudo, if it prompts for one: that of the user to connect as. Can also be
	// set with the environment variables `POSIX_SUDO_PASSWORD` and
	// `POSIX_HOST_NAME_SUDO_PASSWORD`.
	Password text `tf:",sensitive"`
}

// Constraints implements [runtime.Constrainer].
func (*Provider) Constraints() []runtime.Constraint {
	return append(settingsRules(),
		runtime.Keys(runtime.Check("hosts", "must consist of letters, digits, dots, dashes and underscores, must not start with a dot or a dash, and must not be `local`", address.CheckName)),
		runtime.Check("hosts", "", checkJumps),
		runtime.Check("hosts", "", checkFormerNames),
		runtime.Check("default_host", "", address.CheckHost),
		runtime.AtLeast[int64]("max_connections", 1),
	)
}

// Constraints implements [runtime.Constrainer].
func (*Host) Constraints() []runtime.Constraint {
	return append(settingsRules(),
		runtime.Check("address", "", checkAddress),
		runtime.Each(runtime.Check("formerly", "must be a host", checkFormerName)),
		runtime.Each(runtime.Check("host_key", "must be a public key or a fingerprint", sshhost.CheckHostKey)),
		runtime.Length("host_key", 1, 0),
		runtime.ForbiddenWhen("host_key", "host_key_policy", "insecure"),
	)
}

func settingsRules() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Range[int64]("port", 1, 65535),
		runtime.Check("user", "", checkUser),
		runtime.AtMostOneOf("private_key", "private_key_path"),
		runtime.Check("private_key_path", "", checkPath),
		runtime.Check("private_key", "", sshhost.CheckPrivateKey),
		runtime.AtMostOneOf("certificate", "certificate_path"),
		runtime.Check("certificate", "", sshhost.CheckCertificate),
		runtime.Check("certificate_path", "", checkPath),
		runtime.ForbiddenWhen("agent_socket", "agent", false),
		runtime.Check("agent_socket", "", checkPath),
		runtime.OneOf("host_key_policy", "strict", "accept_new", "insecure"),
		runtime.Each(runtime.Check("known_hosts", "must be one or more lines in the format of a known_hosts file", sshhost.CheckKnownHosts)),
		runtime.Each(runtime.Check("known_hosts_files", "must be a path", checkPath)),
		runtime.Each(runtime.Check("proxy_jump", "must be a host", checkJump)),
		runtime.Check("ssh_config", "", checkPath),
		runtime.Check("connect_timeout", "", lifecycle.CheckPositive),
		runtime.Range[int64]("connect_retries", 0, 100),
		runtime.Range[int64]("keep_alive_count", 1, 1000),
		runtime.OneOf("on_unreachable", onUnreachableError, onUnreachableSkip),
		runtime.Range[int64]("max_sessions", 1, 1000),
	}
}
