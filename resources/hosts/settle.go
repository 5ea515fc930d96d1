package hosts

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// What a host has where nothing says otherwise.
const (
	defaultPort           = 22
	defaultConnectTimeout = 20 * time.Second
	defaultConnectRetries = 5
	defaultKeepAlive      = 15 * time.Second
	defaultKeepAliveCount = 3
	defaultMaxSessions    = 10
	defaultBecome         = "root"
)

// settling is the making of one host's options: first of what is configured, and
// when all of that is known, of what the SSH configuration adds.
type settling struct {
	chooser
	w           *way
	env         sshconfig.Env
	named       *Host
	destination address.Destination

	jumps                        []reference
	jumpsSaid                    bool
	explicit                     bool // a key or a password is set, so that nothing else is tried unasked
	passphrase                   *sshhost.Secret
	certificate, certificatePath string
	agentPath                    string
	agentOn                      bool
	agentSaid                    bool
	files                        []string // known_hosts files; nil where nothing is said
	timeout                      *time.Duration
	keepAlive                    *time.Duration
	keepCount                    *int
}

func sshConfigOf(s *Settings) text { return s.SSHConfig }

// configured takes what the provider's configuration and the environment say.
func (s *settling) configured() {
	o := &s.w.options
	o.Name = s.w.name
	o.Address = s.destination.Address
	if s.named != nil {
		o.Address = o.Name
		if address, _, known := look(&s.chooser, hostPath(o.Name)+".address", s.named.Address); known {
			o.Address = strings.Trim(address, "[]")
		}
		o.Trust.Pinned, _ = s.elements(hostPath(o.Name)+".host_key", s.named.HostKey)
	}
	if o.User = s.destination.User; o.User == "" {
		o.User, _ = choose(&s.chooser, "user", func(s *Settings) text { return s.User })
	}
	if o.Port = s.destination.Port; o.Port == 0 {
		port, _ := choose(&s.chooser, "port", func(s *Settings) runtime.Value[uint16] { return s.Port })
		o.Port = int(port)
	}
	choose(&s.chooser, "ssh_config", sshConfigOf) // may be unknown
	s.login()
	s.trust()
	s.become()
	s.proxyJump()
	s.limits()
}

func (s *settling) login() {
	auth := &s.w.options.Auth
	s.passphrase = s.secret("passphrase", "PASSPHRASE", func(s *Settings) text { return s.Passphrase })
	content, path, given := s.eitherOr("private_key", "PRIVATE_KEY",
		func(s *Settings) text { return s.PrivateKey }, func(s *Settings) text { return s.PrivateKeyPath })
	s.certificate, s.certificatePath, _ = s.eitherOr("certificate", "",
		func(s *Settings) text { return s.Certificate }, func(s *Settings) text { return s.CertificatePath })
	if given {
		s.explicit = true
		auth.Keys = []sshhost.Key{s.key(sshhost.Key{Text: sshhost.Secret(content), Path: inHome(s.env, path)})}
	}
	auth.Password = s.secret("password", "PASSWORD", func(s *Settings) text { return s.Password })
	s.explicit = s.explicit || auth.Password != nil
	s.agentPath, s.agentOn, s.agentSaid = s.agent()
}

// key is a private key with what is said of all.
func (s *settling) key(k sshhost.Key) sshhost.Key {
	k.Passphrase = s.passphrase
	k.Certificate, k.CertificatePath = s.certificate, inHome(s.env, s.certificatePath)
	return k
}

func (s *settling) trust() {
	trust := &s.w.options.Trust
	policy, _ := choose(&s.chooser, "host_key_policy", func(s *Settings) text { return s.HostKeyPolicy })
	trust.Policy = sshhost.Policy(policy)
	trust.Known = s.list("known_hosts", func(s *Settings) texts { return s.KnownHosts })
	s.files = s.list("known_hosts_files", func(s *Settings) texts { return s.KnownHostsFiles })
	for i := range s.files {
		s.files[i] = inHome(s.env, s.files[i])
	}
}

func (s *settling) become() {
	asked := false
	for _, l := range s.layers {
		_, decided, _ := look(&s.chooser, l.path+"sudo", l.Sudo)
		asked = asked || decided
	}
	of := func(s *Settings) Sudo {
		sudo, _ := s.Sudo.Get()
		return sudo
	}
	if on, said := choose(&s.chooser, "sudo.enabled", func(s *Settings) runtime.Value[bool] { return of(s).Enabled }); !asked || said && !on {
		return
	}
	user, _ := choose(&s.chooser, "sudo.user", func(s *Settings) text { return of(s).User })
	s.w.options.Become = &sshhost.Become{
		User:     first(user, defaultBecome),
		Password: s.secret("sudo.password", "SUDO_PASSWORD", func(s *Settings) text { return of(s).Password }),
	}
}

// proxyJump takes the hosts to go through. Those that are said for all do not
// apply to themselves: what is said there of the way to them is what comes before.
func (s *settling) proxyJump() {
	for i := range s.layers {
		l := &s.layers[i]
		list, decided := s.elements(l.path+"proxy_jump", l.ProxyJump)
		if !decided {
			continue
		}
		if forAll := i == len(s.layers)-1; forAll {
			if at := slices.Index(list, s.w.name); at >= 0 {
				list = list[:at]
			}
		}
		for _, name := range list {
			s.jumps = append(s.jumps, reference{name: name})
		}
		s.jumpsSaid = true
		return
	}
}

func (s *settling) limits() {
	o := &s.w.options
	duration := func(name string, of func(*Settings) runtime.Value[runtime.Duration]) *time.Duration {
		if d, ok := choose(&s.chooser, name, of); ok {
			return new(time.Duration(d))
		}
		return nil
	}
	number := func(name string, of func(*Settings) runtime.Value[int64]) *int {
		if n, ok := choose(&s.chooser, name, of); ok {
			return new(int(n))
		}
		return nil
	}
	s.timeout = duration("connect_timeout", func(s *Settings) runtime.Value[runtime.Duration] { return s.ConnectTimeout })
	s.keepAlive = duration("keep_alive", func(s *Settings) runtime.Value[runtime.Duration] { return s.KeepAlive })
	s.keepCount = number("keep_alive_count", func(s *Settings) runtime.Value[int64] { return s.KeepAliveCount })
	o.Retries = or(number("connect_retries", func(s *Settings) runtime.Value[int64] { return s.ConnectRetries }), defaultConnectRetries)
	o.MaxSessions = or(number("max_sessions", func(s *Settings) runtime.Value[int64] { return s.MaxSessions }), defaultMaxSessions)
}

func or[T any](value *T, otherwise T) T {
	if value != nil {
		return *value
	}
	return otherwise
}

// inHome puts the home in place of a leading ~/.
func inHome(env sshconfig.Env, path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(env.Home, below)
	}
	return path
}

// complete adds what the SSH configuration says, and what is usual.
func (s *settling) complete(ssh *sshconfig.Settings) error {
	o := &s.w.options
	o.Address = ssh.HostName
	o.User = first(o.User, ssh.User, s.env.User)
	o.Port = first(o.Port, ssh.Port, defaultPort)
	o.Trust.Alias, o.Trust.Algorithms = ssh.HostKeyAlias, ssh.HostKeyAlgorithms
	s.completeFiles(ssh)
	if !s.jumpsSaid {
		for _, name := range ssh.ProxyJump {
			s.jumps = append(s.jumps, reference{name: name, bySSH: true})
		}
	}
	o.ConnectTimeout = or(s.timeout, orUnset(ssh.ConnectTimeout, defaultConnectTimeout))
	o.KeepAlive = or(s.keepAlive, orUnset(ssh.ServerAliveInterval, defaultKeepAlive))
	o.KeepAliveCount = max(or(s.keepCount, orUnset(ssh.ServerAliveCountMax, defaultKeepAliveCount)), 1)
	if err := s.completePolicy(ssh); err != nil {
		return err
	}
	return s.completeAuth(ssh)
}

// first is the first that is not zero.
func first[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

// orUnset is a number of the SSH configuration, where negative says nothing.
func orUnset[T int | time.Duration](value, otherwise T) T {
	if value >= 0 {
		return value
	}
	return otherwise
}

func (s *settling) completeFiles(ssh *sshconfig.Settings) {
	trust := &s.w.options.Trust
	if s.files != nil {
		trust.Files = s.files
		return
	}
	user, global := ssh.UserKnownHostsFiles, ssh.GlobalKnownHostsFiles
	if user == nil {
		user = []string{filepath.Join(s.env.Home, ".ssh", "known_hosts"), filepath.Join(s.env.Home, ".ssh", "known_hosts2")}
	}
	if global == nil {
		global = []string{"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"}
	}
	trust.Files = slices.Concat(user, global)
}

func (s *settling) completePolicy(ssh *sshconfig.Settings) error {
	trust := &s.w.options.Trust
	if trust.Policy != "" {
		return nil
	}
	trust.Policy = sshhost.Strict
	switch {
	case len(trust.Pinned) > 0:
	case ssh.StrictHostKeyChecking == sshconfig.StrictAcceptNew:
		trust.Policy = sshhost.AcceptNew
	case ssh.StrictHostKeyChecking == sshconfig.StrictOff:
		at, _ := ssh.Where("stricthostkeychecking")
		return fmt.Errorf("%s disables host key verification (StrictHostKeyChecking no). "+
			"This is not supported in the SSH configuration: set host_key_policy to strict, or to insecure to accept any key", at)
	}
	return nil
}

// completeAuth adds the keys and the agent that nobody asked for, where none that
// somebody asked for are there.
func (s *settling) completeAuth(ssh *sshconfig.Settings) error {
	auth := &s.w.options.Auth
	if !s.explicit {
		files := ssh.IdentityFiles
		if files == nil {
			for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
				files = append(files, filepath.Join(s.env.Home, ".ssh", name))
			}
		}
		for _, path := range files {
			k := s.key(sshhost.Key{Path: path, Implicit: true})
			if k.Certificate == "" && k.CertificatePath == "" {
				for _, certificate := range ssh.CertificateFiles {
					certified := k
					certified.CertificatePath = certificate
					auth.Keys = append(auth.Keys, certified)
				}
			}
			auth.Keys = append(auth.Keys, k)
		}
		auth.AgentKeysOnly = ssh.IdentitiesOnly && !s.agentSaid
	}
	if s.agentSaid && !s.agentOn || !s.agentSaid && s.explicit {
		return nil
	}
	auth.Agent = inHome(s.env, s.agentPath)
	if auth.Agent == "" {
		auth.Agent = ssh.IdentityAgent
	}
	if auth.Agent == "" {
		auth.Agent, _ = s.env.Getenv("SSH_AUTH_SOCK")
	}
	if auth.Agent != "" && auth.Agent != sshconfig.NoAgent {
		return nil
	}
	auth.Agent = ""
	if s.agentOn {
		return errors.New("agent = true, but no agent was found: SSH_AUTH_SOCK is not set in the environment of the provider. Start ssh-agent, or set agent_socket")
	}
	return nil
}
