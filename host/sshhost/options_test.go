package sshhost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
)

const (
	publicKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
	fingerprint = "SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
)

func complete() sshhost.Options {
	return sshhost.Options{
		Name: "web", Address: "192.0.2.1", Port: 22, User: "root", MaxSessions: 10, KeepAlive: 1, KeepAliveCount: 3,
		Trust: sshhost.Trust{Policy: sshhost.Strict},
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	o := complete()
	if err := o.Check(); err != nil {
		t.Errorf("complete: %v", err)
	}
	for want, spoil := range map[string]func(*sshhost.Options){
		"name is missing":     func(o *sshhost.Options) { o.Name = "" },
		"address is missing":  func(o *sshhost.Options) { o.Address = "" },
		"user is missing":     func(o *sshhost.Options) { o.User = "" },
		"1 to 65535":          func(o *sshhost.Options) { o.Port = 1 << 16 },
		"port must be from 1": func(o *sshhost.Options) { o.Port = 0 },
		"sessions must be":    func(o *sshhost.Options) { o.MaxSessions = 0 },
		"not be negative":     func(o *sshhost.Options) { o.Retries = -1 },
		"keepalive requests":  func(o *sshhost.Options) { o.KeepAliveCount = 0 },
		"user to become":      func(o *sshhost.Options) { o.Become = &sshhost.Become{} },
		"unknown host keys":   func(o *sshhost.Options) { o.Trust.Policy = "" },
		"the jump host plain does not support connections to other hosts": func(o *sshhost.Options) { o.Via = memory.New(memory.Config{Name: "plain"}) },
		"public key":  func(o *sshhost.Options) { o.Trust.Pinned = []string{publicKey, "x"} },
		"known_hosts": func(o *sshhost.Options) { o.Trust.Known = []string{"x"} },
	} {
		o := complete()
		spoil(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check returned %v, want an error with %q", err, want)
		}
	}
	o.Via = dialer{}
	if err := o.Check(); err != nil {
		t.Errorf("Check returned %v for a Via with a method Dialer, want nil", err)
	}
}

type dialer struct {
	host.Host
	host.Dialer
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	o := complete()
	o.Auth.Password = new(sshhost.Secret("hunter2"))
	o.Auth.Keys = []sshhost.Key{{Text: "hunter2", Passphrase: new(sshhost.Secret("hunter2"))}}
	o.Become = &sshhost.Become{User: "root", Password: new(sshhost.Secret("hunter2"))}
	encoded, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		string(encoded), fmt.Sprintf("%v %+v %#v %+v", o, o, o, o.Auth), fmt.Sprintf("%v %+v %#v", o.Auth.Keys, o.Auth.Keys, o.Auth.Keys[0]),
		fmt.Sprintf("%v %q %x %s %#v", *o.Auth.Password, *o.Auth.Password, *o.Auth.Password, *o.Auth.Password, *o.Auth.Password),
	} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "68756e74657232") || !strings.Contains(text, "sensitive") {
			t.Errorf("printed: %s", text)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	type check = func(string) error
	for _, tt := range []struct {
		name  string
		check check
		good  []string
		bad   map[string]string
	}{
		{"host key", sshhost.CheckHostKey, []string{publicKey, publicKey + " root@web\n", fingerprint}, map[string]string{
			"": "or a fingerprint", "ssh-ed25519": "or a fingerprint", fingerprint[:40]: "43 characters", "SHA256:" + strings.Repeat("=", 43): "43 characters",
			"MD5:00": "or a fingerprint", publicKey + "\n" + publicKey: "or a fingerprint",
		}},
		{"known hosts", sshhost.CheckKnownHosts, []string{
			"web " + publicKey, "@cert-authority *.example.com " + publicKey + " x", "# nothing\n\nweb,192.0.2.1 " + publicKey + "\n[db]:2222 " + publicKey + "\n",
			"@revoked * " + publicKey, "",
		}, map[string]string{publicKey: "host names", "web": "host names", "@x web " + publicKey: "@x", "web ssh-rsa " + publicKey[12:]: "host names"}},
		{"private key", sshhost.CheckPrivateKey, []string{newKey(t, ""), newKey(t, "a passphrase")}, map[string]string{
			"": "must be a private key", publicKey: "without .pub", "hunter2": "must be a private key", strings.Join(strings.Split(newKey(t, ""), "\n")[1:], "\n"): "first and last",
		}},
		{"certificate", sshhost.CheckCertificate, []string{newCertificate(t)}, map[string]string{"x": "must be a certificate", publicKey: "must be a certificate, but it is a public key"}},
	} {
		for _, text := range tt.good {
			if err := tt.check(text); err != nil {
				t.Errorf("%s %.40q: %v", tt.name, text, err)
			}
		}
		for text, want := range tt.bad {
			if err := tt.check(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s %.40q: %v, want an error with %q", tt.name, text, err, want)
			}
		}
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	s := sshhost.NewSlots(2)
	closed := map[string]bool{}
	take := func(name string) *sshhost.Slot {
		t.Helper()
		slot, err := s.Take(t.Context(), func() { closed[name] = true })
		if err != nil {
			t.Fatal(err)
		}
		return slot
	}
	a, b := take("a"), take("b")
	a.Done()
	b.Done()
	if !a.Use() { // now b has been idle the longest
		t.Fatal("slot a was taken away")
	}
	a.Done()
	c := take("c")
	if !closed["b"] || closed["a"] || b.Use() || !a.Use() {
		t.Fatalf("closed: %v, want b only", closed)
	}
	b.Return() // the slot belongs to another connection by now
	// Both slots are busy: the next caller waits until one is idle or returned.
	got := make(chan *sshhost.Slot)
	go func() { slot, _ := s.Take(context.Background(), func() {}); got <- slot }()
	select {
	case <-got:
		t.Fatal("more slots were granted than the limit of 2")
	case <-soon():
	}
	a.Done()
	d := <-got
	if !closed["a"] || a.Use() {
		t.Error("slot a was not taken away")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-soon(); cancel() }()
	if _, err := s.Take(ctx, func() {}); err == nil {
		t.Error("more slots were granted than the limit of 2")
	}
	c.Return()
	d.Return()
	d.Return()
	e, f := take("e"), take("f")
	go func() { slot, _ := s.Take(context.Background(), func() {}); got <- slot }()
	select {
	case <-got:
		t.Error("more slots were granted than the limit of 2, after a slot was returned twice and a call of Take was canceled")
	case <-soon():
	}
	e.Return()
	(<-got).Return()
	f.Return()
}

// TestSlotsUnderLoad checks that, under concurrent use, there are never more connections than
// slots.
func TestSlotsUnderLoad(t *testing.T) {
	t.Parallel()
	const n, owners = 3, 12
	s := sshhost.NewSlots(n)
	open := newGauge()
	done := make(chan bool)
	for i := range owners {
		go func() {
			defer func() { done <- true }()
			var slot *sshhost.Slot
			for round := range 200 {
				if slot == nil || !slot.Use() {
					ctx := t.Context()
					if (i+round)%7 == 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithCancel(ctx)
						cancel()
					}
					var err error
					if slot, err = s.Take(ctx, open.down); err != nil {
						slot = nil
						continue
					}
					open.up()
				}
				if round%5 == i%5 {
					open.down()
					slot.Return()
					slot = nil
					continue
				}
				slot.Done()
			}
		}()
	}
	for range owners {
		<-done
	}
	if open.most > n {
		t.Errorf("%d connections were open at the same time, want at most %d", open.most, n)
	}
}
