package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Defaults of settings that neither the provider's configuration nor the SSH configuration sets.
const (
	defaultPort           = 22
	defaultConnectTimeout = 20 * time.Second
	defaultConnectRetries = 5
	defaultKeepAlive      = 15 * time.Second
	defaultKeepAliveCount = 3
	defaultMaxSessions    = 10
	defaultBecome         = "root"
)

// optionsBuilder builds the options of one host: first from the provider's configuration
// and the environment, and then, if all of these are known, from the SSH configuration and
// the remaining defaults.
type optionsBuilder struct {
	lookup
	w           *route
	currentName func(name string) string
	env         sshconfig.Env
	named       *Host
	destination address.Destination

	jumps                        []reference
	jumpsSet                     bool
	explicit                     bool // whether a key or a password is set; no default keys are then tried
	passphrase                   *sshhost.Secret
	certificate, certificatePath string
	agentPath                    string
	agentOn                      bool
	agentSet                     bool
	files                        []string // known_hosts files; nil if unset
}

func sshConfigOf(s *Settings) text { return s.SSHConfig }

// readConfiguration sets the options from the provider's configuration and the environment, and the
// defaults of options that the SSH configuration cannot set. The durations and KeepAliveCount are -1 if
// the provider's configuration does not set them.
func (s *optionsBuilder) readConfiguration() {
	o := &s.w.options
	o.Name = s.w.name
	o.Address = s.destination.Address
	if s.named != nil {
		o.Address = o.Name
		if address, _, known := getValue(&s.lookup, hostPath(o.Name)+".address", s.named.Address); known {
			o.Address = strings.Trim(address, "[]")
		}
		o.Trust.Pinned, _ = s.elements(hostPath(o.Name)+".host_key", s.named.HostKey)
	}
	if o.User = s.destination.User; o.User == "" {
		o.User, _ = findValue(&s.lookup, "user", func(s *Settings) text { return s.User })
	}
	if o.Port = s.destination.Port; o.Port == 0 {
		port, _ := findValue(&s.lookup, "port", func(s *Settings) runtime.Value[int64] { return s.Port })
		o.Port = int(port)
	}
	findValue(&s.lookup, "ssh_config", sshConfigOf) // records the attribute as unknown if its value is unknown
	s.setAuth()
	s.setTrust()
	s.setSudo()
	s.proxyJump()
	s.setLimits()
}

func (s *optionsBuilder) setAuth() {
	auth := &s.w.options.Auth
	s.passphrase = s.secret("passphrase", "PASSPHRASE", func(s *Settings) text { return s.Passphrase })
	content, path, given := s.textOrPath("private_key", "PRIVATE_KEY",
		func(s *Settings) text { return s.PrivateKey }, func(s *Settings) text { return s.PrivateKeyPath })
	s.certificate, s.certificatePath, _ = s.textOrPath("certificate", "",
		func(s *Settings) text { return s.Certificate }, func(s *Settings) text { return s.CertificatePath })
	if given {
		s.explicit = true
		auth.Keys = []sshhost.Key{s.key(sshhost.Key{Text: sshhost.Secret(content), Path: inHome(s.env, path)})}
	}
	auth.Password = s.secret("password", "PASSWORD", func(s *Settings) text { return s.Password })
	s.explicit = s.explicit || auth.Password != nil
	s.agentPath, s.agentOn, s.agentSet = s.agent()
}

// key returns a private key with the configured passphrase and certificate, which apply to
// all keys.
func (s *optionsBuilder) key(k sshhost.Key) sshhost.Key {
	k.Passphrase = s.passphrase
	k.Certificate, k.CertificatePath = s.certificate, inHome(s.env, s.certificatePath)
	return k
}

func (s *optionsBuilder) setTrust() {
	trust := &s.w.options.Trust
	policy, _ := findValue(&s.lookup, "host_key_policy", func(s *Settings) text { return s.HostKeyPolicy })
	trust.Policy = sshhost.Policy(policy)
	trust.Known = s.list("known_hosts", func(s *Settings) texts { return s.KnownHosts })
	s.files = s.list("known_hosts_files", func(s *Settings) texts { return s.KnownHostsFiles })
	for i := range s.files {
		s.files[i] = inHome(s.env, s.files[i])
	}
}

func (s *optionsBuilder) setSudo() {
	isSet := false
	for _, l := range s.layers {
		_, decided, _ := getValue(&s.lookup, l.path+"sudo", l.Sudo)
		isSet = isSet || decided
	}
	of := func(s *Settings) Sudo {
		sudo, _ := s.Sudo.Get()
		return sudo
	}
	if on, decided := findValue(&s.lookup, "sudo.enabled", func(s *Settings) runtime.Value[bool] { return of(s).Enabled }); !isSet || decided && !on {
		return
	}
	user, _ := findValue(&s.lookup, "sudo.user", func(s *Settings) text { return of(s).User })
	s.w.options.Become = &sshhost.Become{
		User:     cmp.Or(user, defaultBecome),
		Password: s.secret("sudo.password", "SUDO_PASSWORD", func(s *Settings) text { return of(s).Password }),
	}
}

// proxyJump sets the jump hosts. If the list of the provider contains the host itself, only
// the jump hosts before the host apply.
func (s *optionsBuilder) proxyJump() {
	for i := range s.layers {
		l := &s.layers[i]
		list, decided := s.elements(l.path+"proxy_jump", l.ProxyJump)
		if !decided {
			continue
		}
		for j, name := range list {
			list[j] = s.currentName(name)
		}
		if allHosts := i == len(s.layers)-1; allHosts {
			if at := slices.Index(list, s.w.name); at >= 0 {
				list = list[:at]
			}
		}
		for _, name := range list {
			s.jumps = append(s.jumps, reference{name: name})
		}
		s.jumpsSet = true
		return
	}
}

func (s *optionsBuilder) setLimits() {
	o := &s.w.options
	duration := func(name string, of func(*Settings) runtime.Value[runtime.Duration]) time.Duration {
		if d, ok := findValue(&s.lookup, name, of); ok {
			return time.Duration(d)
		}
		return -1
	}
	number := func(name string, of func(*Settings) runtime.Value[int64]) int {
		if n, ok := findValue(&s.lookup, name, of); ok {
			return int(n)
		}
		return -1
	}
	o.ConnectTimeout = duration("connect_timeout", func(s *Settings) runtime.Value[runtime.Duration] { return s.ConnectTimeout })
	o.KeepAlive = duration("keep_alive", func(s *Settings) runtime.Value[runtime.Duration] { return s.KeepAlive })
	o.KeepAliveCount = number("keep_alive_count", func(s *Settings) runtime.Value[int64] { return s.KeepAliveCount })
	o.Retries = firstSet(number("connect_retries", func(s *Settings) runtime.Value[int64] { return s.ConnectRetries }), defaultConnectRetries)
	o.MaxSessions = firstSet(number("max_sessions", func(s *Settings) runtime.Value[int64] { return s.MaxSessions }), defaultMaxSessions)
}

// inHome returns the path with a leading ~/ replaced by the home directory.
func inHome(env sshconfig.Env, path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(env.Home, below)
	}
	return path
}

// readSSHConfig sets the remaining options from the SSH configuration and the defaults.
func (s *optionsBuilder) readSSHConfig(ssh *sshconfig.Settings) error {
	o := &s.w.options
	o.Address = ssh.HostName
	o.User = cmp.Or(o.User, ssh.User, s.env.User)
	o.Port = cmp.Or(o.Port, ssh.Port, defaultPort)
	o.Trust.Alias, o.Trust.Algorithms = ssh.HostKeyAlias, ssh.HostKeyAlgorithms
	s.setKnownHostsFiles(ssh)
	if !s.jumpsSet {
		for _, name := range ssh.ProxyJump {
			s.jumps = append(s.jumps, reference{name: name, bySSH: true})
		}
		o.ProxyCommand = proxyCommand(s.env, ssh)
	}
	o.ConnectTimeout = firstSet(o.ConnectTimeout, ssh.ConnectTimeout, defaultConnectTimeout)
	o.KeepAlive = firstSet(o.KeepAlive, ssh.ServerAliveInterval, defaultKeepAlive)
	o.KeepAliveCount = max(firstSet(o.KeepAliveCount, ssh.ServerAliveCountMax, defaultKeepAliveCount), 1)
	if err := s.setPolicy(ssh); err != nil {
		return err
	}
	if o.Trust.Policy == sshhost.AcceptNew && s.files == nil && ssh.UserKnownHostsFiles != nil && len(ssh.UserKnownHostsFiles) == 0 {
		// Without a file of the user, ssh does not store keys; the first file would be the system-wide one.
		o.Trust.Files = append([]string{os.DevNull}, o.Trust.Files...)
	}
	return s.setImplicitAuth(ssh)
}

// firstSet returns the first value that is not negative, or the first value if all are negative.
func firstSet[T int | time.Duration](values ...T) T {
	i := slices.IndexFunc(values, func(v T) bool { return v >= 0 })
	return values[max(i, 0)]
}

func (s *optionsBuilder) setKnownHostsFiles(ssh *sshconfig.Settings) {
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

func (s *optionsBuilder) setPolicy(ssh *sshconfig.Settings) error {
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
			"The provider does not accept this from the SSH configuration: set host_key_policy to strict, or to insecure to accept any key", at)
	}
	return nil
}

// setImplicitAuth sets the agent, and the keys to try if neither a key nor a password is
// configured. It returns an error if agent is true, but there is no agent.
func (s *optionsBuilder) setImplicitAuth(ssh *sshconfig.Settings) error {
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
		auth.AgentKeysOnly = ssh.IdentitiesOnly && !s.agentSet
	}
	if s.agentSet && !s.agentOn || !s.agentSet && s.explicit {
		return nil
	}
	auth.Agent = cmp.Or(inHome(s.env, s.agentPath), ssh.IdentityAgent)
	if auth.Agent == "" {
		auth.Agent, _ = s.env.Getenv("SSH_AUTH_SOCK")
	}
	if auth.Agent != "" && auth.Agent != sshconfig.NoAgent {
		return nil
	}
	auth.Agent = ""
	if !s.agentOn {
		return nil
	}
	if ssh.IdentityAgent == sshconfig.NoAgent {
		at, _ := ssh.Where("identityagent")
		return fmt.Errorf("agent = true, but %s disables the agent: IdentityAgent is none, or a variable that is not set. Change IdentityAgent, or set agent_socket", at)
	}
	return errors.New("agent = true, but no agent was found: SSH_AUTH_SOCK is not set in the environment of the provider. Start ssh-agent, or set agent_socket")
}

// withheld lists the prefixes of the variables of the provider's environment that a ProxyCommand does not
// get: the passwords and keys of hosts, variables and tokens of Terraform, and the variables of
// the plugin protocol.
var withheld = []string{"POSIX_", "TF_", "PLUGIN_"}

// proxyCommand returns the ProxyCommand of the SSH configuration; nil if there is none. The command runs as the
// user that runs the provider, with the provider's environment, such as the credentials for a cloud, but without
// the withheld variables.
func proxyCommand(env sshconfig.Env, ssh *sshconfig.Settings) *sshhost.ProxyCommand {
	if ssh.ProxyCommand == "" {
		return nil
	}
	at, _ := ssh.Where("proxycommand")
	return &sshhost.ProxyCommand{
		Command: ssh.ProxyCommand,
		Where:   at.String(),
		Env: slices.DeleteFunc(env.Environ(), func(variable string) bool {
			return slices.ContainsFunc(withheld, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
		}),
	}
}
