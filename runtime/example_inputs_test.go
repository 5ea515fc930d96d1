package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Listener is the resource of the examples about inputs.
type Listener struct {
	Address string
	Port    int64
	Proto   string
	Cert    *string
	Key     *string
}

type ListenerOutput struct {
	Address string
	Port    int64
	Proto   string
	URL     string
}

func (*Listener) SchemaVersion() int      { return 0 }
func (*Listener) ReplaceFields() []string { return []string{"address"} }

func (l *Listener) Create(context.Context, runtime.NoConfig) (*ListenerOutput, error) {
	return &ListenerOutput{l.Address, l.Port, l.Proto, fmt.Sprintf("%s://%s:%d", l.Proto, l.Address, l.Port)}, nil
}

func (*Listener) Read(_ context.Context, _ runtime.NoConfig, prior *ListenerOutput) (*ListenerOutput, error) {
	return prior, nil
}

func (l *Listener) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Listener, *ListenerOutput]) (*ListenerOutput, error) {
	return l.Create(ctx, cfg)
}

func (*Listener) Delete(context.Context, runtime.NoConfig, *ListenerOutput) error { return nil }

// Defaults makes proto an optional attribute.
func (l *Listener) Defaults() { l.Proto = "tcp" }

// Constraints returns rules, which are checked during validation and are part of the descriptions.
func (*Listener) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Range("port", 1, 65535),
		runtime.OneOf("proto", "tcp", "TCP", "udp"),
		runtime.RequiredTogether("cert", "key"),
	}
}

// ValidateInputs rejects a certificate over UDP.
func (l *Listener) ValidateInputs(context.Context, runtime.NoConfig) error {
	if l.Proto == "udp" && l.Cert != nil {
		return errors.New("a udp listener cannot have a certificate; unset cert and key")
	}
	return nil
}

// EquivalentInput ignores the case of proto.
func (*Listener) EquivalentInput(field string, prior, current Listener) bool {
	return field == "proto" && strings.EqualFold(prior.Proto, current.Proto)
}

// ReplaceOn reports that a UDP listener must be replaced if its port changes.
func (*Listener) ReplaceOn(field string, prior, _ Listener) bool {
	return field == "port" && prior.Proto == "udp"
}

// Descriptions is usually generated from the doc comments.
func (*Listener) Descriptions() map[string]string {
	return map[string]string{"Listener": "Listens on a port.", "Listener.Port": "The port to listen on."}
}

func listener() *console {
	return newConsole(runtime.MakeResource[Listener, *ListenerOutput, runtime.NoConfig]())
}

func ExampleTypedResource() {
	c := listener()
	c.apply(attrs{"address": str("::1"), "port": num(80)})
	c.apply(attrs{"address": str("::1"), "port": num(81)})
	c.apply(attrs{"address": str("::2"), "port": num(81)})
	// Output:
	// create
	// update
	//   url = (known after apply)
	// replace because of address
}

func ExampleDefaulter() {
	c := listener()
	c.apply(attrs{"address": str("::1"), "port": num(80)})
	display(c.state, "proto")
	// Output:
	// create
	// proto = tcp
}

func ExampleConstrainer() {
	c := listener()
	c.apply(attrs{"address": str("::1"), "port": num(80_000), "key": str("k")})
	fmt.Println(c.schema.Body.Attributes["port"].Description)
	// Output:
	// port: The value must be from 1 to 65535.
	// cert: cert must be set too when key is set.
	// The port to listen on. Must be from 1 to 65535.
}

func ExampleInputValidator() {
	c := listener()
	c.apply(attrs{"address": str("::1"), "port": num(80), "proto": str("udp"), "cert": str("c"), "key": str("k")})
	// Output:
	// a udp listener cannot have a certificate; unset cert and key
}

func ExampleInputEquivalencer() {
	c := listener()
	c.apply(attrs{"address": str("::1"), "port": num(80), "proto": str("tcp")})
	c.apply(attrs{"address": str("::1"), "port": num(80), "proto": str("TCP")})
	display(c.state, "proto")
	// Output:
	// create
	// no changes
	// proto = tcp
}

// Proxy is the resource of the example about a method with a context.
type Proxy struct{ Target string }

type ProxyOutput struct{ Target string }

func (p *Proxy) Create(context.Context, runtime.NoConfig) (*ProxyOutput, error) {
	return &ProxyOutput{p.Target}, nil
}

func (*Proxy) Read(_ context.Context, _ runtime.NoConfig, prior *ProxyOutput) (*ProxyOutput, error) {
	return prior, nil
}

func (p *Proxy) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Proxy, *ProxyOutput]) (*ProxyOutput, error) {
	return p.Create(ctx, cfg)
}

func (*Proxy) Delete(context.Context, runtime.NoConfig, *ProxyOutput) error { return nil }

// EquivalentInputContext ignores the case of the target.
func (*Proxy) EquivalentInputContext(_ context.Context, _ string, prior, current Proxy) bool {
	return strings.EqualFold(prior.Target, current.Target)
}

func ExampleContextInputEquivalencer() {
	c := newConsole(runtime.MakeResource[Proxy, *ProxyOutput, runtime.NoConfig]())
	c.apply(attrs{"target": str("example.com")})
	c.apply(attrs{"target": str("Example.com")})
	// Output:
	// create
	// no changes
}

func ExampleReplaceDeclarer() {
	c := listener()
	c.apply(attrs{"address": str("::1"), "port": num(80)})
	c.apply(attrs{"address": str("::2"), "port": num(80)})
	// Output:
	// create
	// replace because of address
}

func ExampleSchemaVersioner() {
	fmt.Println(listener().schema.Version)
	// Output: 0
}

func ExampleReplacer() {
	c := listener()
	c.apply(attrs{"address": str("::1"), "port": num(53), "proto": str("udp")})
	c.apply(attrs{"address": str("::1"), "port": num(5353), "proto": str("udp")})
	// Output:
	// create
	// replace because of port
}

func ExampleDescriber() {
	c := listener()
	fmt.Println(c.schema.Body.Description)
	// Output:
	// Listens on a port.
}

// Setting is a resource that stores a document whose formatting does not matter.
type Setting struct{ Document Document }

// Document is a text in which the amount of white space does not matter.
type Document string

// SemanticEquals reports whether the documents have the same words.
func (d Document) SemanticEquals(other Document) bool {
	return strings.Join(strings.Fields(string(d)), " ") == strings.Join(strings.Fields(string(other)), " ")
}

type SettingOutput struct{ Document Document }

func (*Setting) SchemaVersion() int      { return 0 }
func (*Setting) ReplaceFields() []string { return nil }

func (s *Setting) Create(context.Context, runtime.NoConfig) (*SettingOutput, error) {
	return &SettingOutput{Document(strings.TrimSpace(string(s.Document)))}, nil
}

func (*Setting) Read(_ context.Context, _ runtime.NoConfig, prior *SettingOutput) (*SettingOutput, error) {
	return prior, nil
}

func (s *Setting) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Setting, *SettingOutput]) (*SettingOutput, error) {
	return s.Create(ctx, cfg)
}

func (*Setting) Delete(context.Context, runtime.NoConfig, *SettingOutput) error { return nil }

func ExampleSemanticEqualer() {
	c := newConsole(runtime.MakeResource[Setting, *SettingOutput, runtime.NoConfig]())
	c.apply(attrs{"document": str("a  b ")})
	c.apply(attrs{"document": str("a b")})
	fmt.Printf("%q\n", c.state.GetAttr("document").AsString())
	// Output:
	// create
	// no changes
	// "a  b "
}
