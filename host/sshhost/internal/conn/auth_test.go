package conn_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

func secret(text string) *conn.Secret { return new(conn.Secret(text)) }

// write creates a file for the test and returns its path.
func write(tb testing.TB, name string, text []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func text(tb testing.TB, key sshdtest.Key, passphrase string) conn.Secret {
	tb.Helper()
	pem, err := key.PEM(passphrase)
	if err != nil {
		tb.Fatal(err)
	}
	return conn.Secret(pem)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	const passphrase = "open sesame"
	good, other, authority := sshdtest.NewKey(t), sshdtest.NewKey(t), sshdtest.NewKey(t)
	rsa, ecdsa := sshdtest.NewKeyOf(t, sshdtest.RSA), sshdtest.NewKeyOf(t, sshdtest.ECDSA)
	me := sshdtest.Me(good.PublicKey(), rsa.PublicKey(), ecdsa.PublicKey())
	server, o := serve(t, sshdtest.Config{Users: []sshdtest.User{me}, UserAuthority: authority.PublicKey()})
	cert := sshdtest.Certify(t, authority, other.PublicKey(), ssh.UserCert, me.Name)
	certText := string(ssh.MarshalAuthorizedKey(cert))
	keyPath := other.File(t, "")
	if err := os.WriteFile(keyPath+"-cert.pub", []byte(certText), 0o600); err != nil {
		t.Fatal(err)
	}
	locked := good.File(t, passphrase)
	public := write(t, "id.pub", ssh.MarshalAuthorizedKey(good.PublicKey()))
	unsupported := write(t, "id_sk", []byte("a key of an unsupported type\n"))
	if err := os.WriteFile(unsupported+".pub", ssh.MarshalAuthorizedKey(good.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	absent := strings.TrimSuffix(public, ".pub")
	many := []sshdtest.AgentKey{{Key: good}}
	for range 7 { // more than a server accepts in one connection
		many = append([]sshdtest.AgentKey{{Key: sshdtest.NewKey(t)}}, many...)
	}
	full := sshdtest.StartAgent(t, many...)
	for _, tt := range []struct {
		name string
		auth conn.Auth
		want string // substring of the error; empty for success
	}{
		{"path", conn.Auth{Keys: []conn.Key{{Path: good.File(t, "")}}}, ""},
		{"text", conn.Auth{Keys: []conn.Key{{Text: text(t, good, "")}}}, ""},
		{"rsa", conn.Auth{Keys: []conn.Key{{Text: text(t, rsa, "")}}}, ""},
		{"ecdsa", conn.Auth{Keys: []conn.Key{{Text: text(t, ecdsa, "")}}}, ""},
		{"passphrase", conn.Auth{Keys: []conn.Key{{Path: locked, Passphrase: secret(passphrase)}}}, ""},
		{"wrong passphrase", conn.Auth{Keys: []conn.Key{{Path: locked, Passphrase: secret("hunter2")}}}, "wrong passphrase"},
		{"no passphrase", conn.Auth{Keys: []conn.Key{{Path: locked}}}, "is encrypted: set its passphrase"},
		{"no passphrase, key in agent", conn.Auth{Keys: []conn.Key{{Path: locked}}, Agent: sshdtest.StartAgent(t, many[7])}, ""},
		{"encrypted and implicit", conn.Auth{Keys: []conn.Key{{Path: locked, Implicit: true}}}, "is encrypted"},
		{"no file", conn.Auth{Keys: []conn.Key{{Path: "/nowhere/id"}}}, "/nowhere/id: no such file"},
		{"no file, implicit", conn.Auth{Keys: []conn.Key{{Path: "/nowhere/id", Implicit: true}, {Text: text(t, good, "")}}}, ""},
		{"no file, but a public key", conn.Auth{Keys: []conn.Key{{Path: absent}}}, absent + ": no such file"},
		{"no file, key in agent", conn.Auth{Keys: []conn.Key{{Path: absent, Implicit: true}}, Agent: full, AgentKeysOnly: true}, ""},
		{"unsupported key", conn.Auth{Keys: []conn.Key{{Path: unsupported}}}, "is not a valid private key"},
		{"unsupported key, in agent", conn.Auth{Keys: []conn.Key{{Path: unsupported}}, Agent: full, AgentKeysOnly: true}, ""},
		{"invalid key", conn.Auth{Keys: []conn.Key{{Text: "hunter2"}}}, "is not a valid private key"},
		{"public key", conn.Auth{Keys: []conn.Key{{Path: public}}}, "is a public key"},
		{"public key, private key in agent", conn.Auth{Keys: []conn.Key{{Path: public}}, Agent: full, AgentKeysOnly: true}, ""},
		{"second key", conn.Auth{Keys: []conn.Key{{Text: text(t, other, "")}, {Text: text(t, good, "")}}}, ""},
		{"wrong key", conn.Auth{Keys: []conn.Key{{Text: text(t, other, "")}}}, "tried the private key given as text; the server accepts publickey. Check the user name and its keys or password"},
		{"certificate in PATH-cert.pub", conn.Auth{Keys: []conn.Key{{Path: keyPath}}}, ""},
		{"certificate", conn.Auth{Keys: []conn.Key{{Text: text(t, other, ""), Certificate: certText}}}, ""},
		{"certificate's path", conn.Auth{Keys: []conn.Key{{Text: text(t, other, ""), CertificatePath: keyPath + "-cert.pub"}}}, ""},
		{"certificate of another key", conn.Auth{Keys: []conn.Key{{Text: text(t, good, ""), Certificate: certText}}}, "belongs to another key"},
		{"invalid certificate", conn.Auth{Keys: []conn.Key{{Text: text(t, good, ""), Certificate: "x"}}}, "is not a certificate"},
		{"public key as certificate", conn.Auth{Keys: []conn.Key{{Text: text(t, good, ""), CertificatePath: public}}}, "is a public key, not a certificate"},
		{"agent", conn.Auth{Agent: sshdtest.StartAgent(t, sshdtest.AgentKey{Key: good})}, ""},
		{"agent's certificate", conn.Auth{Agent: sshdtest.StartAgent(t, sshdtest.AgentKey{Key: other, Certificate: cert})}, ""},
		{"agent's rsa", conn.Auth{Agent: sshdtest.StartAgent(t, sshdtest.AgentKey{Key: rsa})}, ""},
		{"agent's wrong keys", conn.Auth{Agent: sshdtest.StartAgent(t, many[0], many[1])}, "tried agent (2 keys)"},
		{"agent key of a file, AgentKeysOnly", conn.Auth{Agent: full, AgentKeysOnly: true, Keys: []conn.Key{{Path: locked, Implicit: true}}}, ""},
		{"agent's many keys", conn.Auth{Agent: full}, "MaxAuthTries"},
		{"unreachable agent", conn.Auth{Agent: "/nowhere/agent"}, "cannot get keys from the agent at /nowhere/agent"},
		{"unreachable agent, private key", conn.Auth{Agent: "/nowhere/agent", Keys: []conn.Key{{Text: text(t, good, "")}}}, ""},
		{"no credentials", conn.Auth{}, "no credentials for the methods that the server accepts"},
		{"password, server accepts only publickey", conn.Auth{Password: secret("hunter2")}, "no credentials for the methods that the server accepts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := o
			o.Auth = tt.auth
			c := open(t, o)
			err := c.Connect(t.Context())
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, conn.ErrRefused) {
				t.Fatalf("Connect returned %v, want an ErrRefused with %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "host web") {
				t.Errorf("the error contains a secret, or does not name the host: %v", err)
			}
			before := server.Connections()
			if again := c.Connect(t.Context()); again == nil || again.Error() != err.Error() {
				t.Errorf("the second Connect returned %v, want %v", again, err)
			}
			if n := server.Connections(); n != before {
				t.Errorf("the second Connect made %d connections, want 0", n-before)
			}
		})
	}
}

// refusingAgent is an agent that lists a key but refuses to sign with it.
type refusingAgent struct {
	agent.ExtendedAgent
	key ssh.PublicKey
}

func (u refusingAgent) Sign(key ssh.PublicKey, data []byte) (*ssh.Signature, error) {
	return u.SignWithFlags(key, data, 0)
}

func (u refusingAgent) SignWithFlags(key ssh.PublicKey, data []byte, flags agent.SignatureFlags) (*ssh.Signature, error) {
	if string(key.Marshal()) == string(u.key.Marshal()) {
		return nil, errors.New("the token was not touched")
	}
	return u.ExtendedAgent.SignWithFlags(key, data, flags)
}

// serveAgent serves an agent that has keys and refuses to sign with key, and returns the path of
// its socket.
func serveAgent(tb testing.TB, key ssh.PublicKey, keys ...sshdtest.Key) string {
	tb.Helper()
	ring := agent.NewKeyring().(agent.ExtendedAgent)
	for _, k := range keys {
		private, err := ssh.ParseRawPrivateKey([]byte(text(tb, k, "")))
		if err == nil {
			err = ring.Add(agent.AddedKey{PrivateKey: private})
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "agent-") //nolint:usetesting // a test's own directory has too long a name for a socket
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(refusingAgent{ring, key}, conn)
		}
	}()
	return listener.Addr().String()
}

// TestAgentThatDoesNotSign checks that a key is skipped if the agent refuses to sign with it.
func TestAgentThatDoesNotSign(t *testing.T) {
	t.Parallel()
	first, second := sshdtest.NewKey(t), sshdtest.NewKey(t)
	_, o := serve(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(first.PublicKey(), second.PublicKey())}})
	o.Auth = conn.Auth{Agent: serveAgent(t, first.PublicKey(), first, second)}
	if err := open(t, o).Connect(t.Context()); err != nil {
		t.Error(err)
	}
	o.Auth = conn.Auth{Agent: serveAgent(t, first.PublicKey(), first)}
	if err := open(t, o).Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "signing with agent failed") {
		t.Errorf("error %v, want one about the agent's signature", err)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	sshdtest.RequireUsers(t)
	const good, bad = "Tr0ub4dor & 3", "hunter2"
	key := sshdtest.NewKey(t)
	jane := sshdtest.User{Name: "jane", Password: good, Keys: []ssh.PublicKey{key.PublicKey()}}
	for _, tt := range []struct {
		name   string
		config sshdtest.Config
		auth   conn.Auth
		want   string
		failed string // text that sshd must log exactly once
	}{
		{"password", sshdtest.Config{Passwords: true}, conn.Auth{Password: secret(good)}, "", ""},
		{"interactive", sshdtest.Config{Interactive: true}, conn.Auth{Password: secret(good)}, "", ""},
		{
			"wrong password",
			sshdtest.Config{Passwords: true, Interactive: true},
			conn.Auth{Password: secret(bad)},
			"tried the password; the server accepts publickey, password, keyboard-interactive", "Failed password for jane",
		},
		{
			"wrong answer",
			sshdtest.Config{Interactive: true},
			conn.Auth{Password: secret(bad)},
			"tried the password",
			"Failed keyboard-interactive/pam for jane",
		},
		{
			"wrong key, then password",
			sshdtest.Config{Passwords: true},
			conn.Auth{Password: secret(good), Keys: []conn.Key{{Text: text(t, sshdtest.NewKey(t), "")}}},
			"", "",
		},
		{
			"key and password",
			sshdtest.Config{Passwords: true, Authentication: "publickey,password"},
			conn.Auth{Password: secret(good), Keys: []conn.Key{{Text: text(t, key, "")}}},
			"", "",
		},
		{
			"key and interactive",
			sshdtest.Config{Interactive: true, Authentication: "publickey,keyboard-interactive"},
			conn.Auth{Password: secret(good), Keys: []conn.Key{{Text: text(t, key, "")}}},
			"", "",
		},
		{
			"password and key",
			sshdtest.Config{Passwords: true, Authentication: "password,publickey"},
			conn.Auth{Password: secret(good), Keys: []conn.Key{{Text: text(t, key, "")}}},
			"", "",
		},
		{
			"password twice",
			sshdtest.Config{Passwords: true, Interactive: true, Authentication: "password,keyboard-interactive"},
			conn.Auth{Password: secret(good)},
			"", "",
		},
		{
			"key and no password",
			sshdtest.Config{Passwords: true, Authentication: "publickey,password"},
			conn.Auth{Keys: []conn.Key{{Text: text(t, key, "")}}},
			"the server accepts password", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.config.Users = []sshdtest.User{jane}
			server, o := serve(t, tt.config)
			o.Auth = tt.auth
			c := open(t, o)
			err := c.Connect(t.Context())
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), bad) {
				t.Errorf("Connect returned %v, want an error with %q and without the password", err, tt.want)
			}
			for range 3 {
				if err := c.Connect(t.Context()); !errors.Is(err, conn.ErrRefused) {
					t.Errorf("a later Connect returned %v, want %v", err, conn.ErrRefused)
				}
			}
			server.Await(t, 1, "Connection closed by authenticating user") // everything is logged by then
			if n := server.Count(tt.failed); tt.failed != "" && n != 1 {
				t.Errorf("%q occurs %d times in the log, want once", tt.failed, n)
			}
		})
	}
}
