package runtime

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
)

// envelope is the private data of an open object. Errors about private data contain no part of
// the data, because a session may contain secrets.
type envelope struct {
	Version int `json:"version"`
	// ID identifies the object among the open objects of this process.
	ID      string          `json:"id"`
	Session json.RawMessage `json:"session"`
}

const envelopeVersion = 1

func newEnvelope() envelope { return envelope{Version: envelopeVersion, ID: rand.Text()} }

func parseEnvelope(private []byte) (envelope, error) {
	var v envelope
	if len(private) == 0 {
		return v, errors.New("the request has no private data, without which the object cannot be found; this is a bug in the client")
	}
	if err := json.Unmarshal(private, &v); err != nil || v.Version != envelopeVersion || v.ID == "" {
		return v, errors.New("the private data of the request cannot be decoded: another version of the provider encoded it")
	}
	return v, nil
}

func (v envelope) bytes() ([]byte, error) { return json.Marshal(v) }

// decodeSession decodes a session from JSON. Its error contains no part of the JSON.
func (e *ephemeral) decodeSession(raw json.RawMessage) (any, error) {
	session := reflect.New(e.sessionType)
	if err := json.Unmarshal(raw, session.Interface()); err != nil {
		return nil, fmt.Errorf("the private data of the request cannot be decoded as %s", e.sessionType)
	}
	return session.Elem().Interface(), nil
}

func (e *ephemeral) encodeSession(session any) (raw json.RawMessage, err error) {
	if raw, err = json.Marshal(session); err != nil {
		return nil, fmt.Errorf("provider bug: the session, of type %s, cannot be encoded as JSON; please report this", e.sessionType)
	}
	return raw, nil
}

// sessions are the newest sessions of renewed objects: some clients close with the
// private data of the last renewal, others with that of Open. An object that was not
// renewed has an entry only while Renew or Close runs.
type sessions struct {
	mu   sync.Mutex
	byID map[string]*session
}

// session is the state of an open object that is being renewed or closed, or was renewed.
type session struct {
	lock chan struct{} // has an element while a call of Renew or Close holds it

	// Guarded by the mutex of sessions.
	users  int             // calls that use it
	newest json.RawMessage // nil if the session in the request is the newest
	closed bool            // the session of a renewal that ends later is not kept
}

// enter returns the session of the object with the ID and locks it. It waits for the lock until ctx
// ends, and at most maxWait if that is not zero. It reports whether it has locked the session. Each
// call of enter requires a call of leave.
func (s *sessions) enter(ctx context.Context, id string, maxWait time.Duration) (x *session, lock bool) {
	s.mu.Lock()
	if s.byID == nil {
		s.byID = make(map[string]*session)
	}
	if x = s.byID[id]; x == nil {
		x = &session{lock: make(chan struct{}, 1)}
		s.byID[id] = x
	}
	x.users++
	s.mu.Unlock()
	var timeout <-chan time.Time
	if maxWait > 0 {
		timeout = time.After(maxWait)
	}
	select {
	case x.lock <- struct{}{}:
		return x, true
	case <-timeout:
	case <-ctx.Done():
	}
	return x, false
}

// leave unlocks the session if enter has locked it, and removes it if nothing needs it any more.
func (s *sessions) leave(id string, x *session, lock bool) {
	if lock {
		<-x.lock
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.users--; x.users == 0 && (x.newest == nil || x.closed) {
		delete(s.byID, id)
	}
}

// current returns the newest session: the stored one, else the one in the request.
func (s *sessions) current(x *session, sent json.RawMessage) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.newest != nil {
		return x.newest
	}
	return sent
}

func (s *sessions) renewed(x *session, newest json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.newest = newest
}

func (s *sessions) close(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.closed = true
}

// checkSession returns an error for a session type with parts that JSON cannot preserve, and for
// a session that nothing uses.
func (e *ephemeral) checkSession() error {
	t := e.sessionType
	if e.renew == nil && e.end == nil && (t.Kind() != reflect.Struct || t.NumField() > 0) {
		return fmt.Errorf("the session %s is not used: there is no method Renew and no method Close; use NoSession if no session is needed", t)
	}
	return checkJSON(t, t.String(), make(map[reflect.Type]bool))
}

var (
	jsonMarshalerType   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshalerType = reflect.TypeFor[json.Unmarshaler]()
)

// checkJSON returns an error for a type that has unexported fields, which JSON would lose, or parts
// of a kind that cannot be encoded as JSON and decoded. In the error, where is the place of t;
// seen has the types that were checked.
func checkJSON(t reflect.Type, where string, seen map[reflect.Type]bool) error {
	if p := reflect.PointerTo(t); seen[t] ||
		p.Implements(jsonMarshalerType) && p.Implements(jsonUnmarshalerType) ||
		p.Implements(textMarshalerType) && p.Implements(textUnmarshalerType) {
		return nil
	}
	seen[t] = true
	switch t.Kind() { //nolint:exhaustive // the others are strings, numbers and booleans
	case reflect.Struct:
		var errs []error
		for f := range t.Fields() {
			switch {
			case f.Tag.Get("json") == "-":
			case !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct):
				// The fields of an embedded struct are decoded even if its type is not exported, but not those
				// of an embedded pointer to such a type.
				errs = append(errs, fmt.Errorf("%s.%s is not exported, so it would be lost: the session is encoded as JSON", where, f.Name))
			default:
				errs = append(errs, checkJSON(f.Type, where+"."+f.Name, seen))
			}
		}
		return errors.Join(errs...)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return checkJSON(t.Elem(), where, seen)
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128, reflect.Interface:
		return fmt.Errorf("%s has the type %s, which cannot be decoded again: the session is encoded as JSON", where, t)
	}
	return nil
}
