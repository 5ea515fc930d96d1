package shellrpc

import (
	"cmp"
	"fmt"
	"slices"
)

// part is one request of a batch: that of a single call, or one for several calls with the same
// topic, in which each path is included once.
type part struct {
	topic    *topic // nil for a request without a topic
	subjects []string
	calls    map[string][]*call // by subject
	single   *call
}

// plan returns the requests of a batch.
func plan(batch []*call) []*part {
	var parts []*part
	joint := map[*topic]*part{}
	for _, a := range batch {
		switch {
		case a.topic == nil:
			parts = append(parts, &part{single: a})
			continue
		case joint[a.topic] == nil:
			joint[a.topic] = &part{topic: a.topic, calls: map[string][]*call{}}
			parts = append(parts, joint[a.topic])
		}
		joint[a.topic].add(a.subject, a)
	}
	var split []*part
	for _, p := range parts {
		split = append(split, p.split()...)
	}
	return split
}

func (p *part) add(subject string, calls ...*call) {
	if p.calls[subject] == nil {
		p.subjects = append(p.subjects, subject)
	}
	p.calls[subject] = append(p.calls[subject], calls...)
}

// only returns a part for one of the paths.
func (p *part) only(subject string) *part {
	one := &part{topic: p.topic, calls: map[string][]*call{}}
	one.add(subject, p.calls[subject]...)
	return one
}

// split returns a part for each path that needs a separate request, and one for the others.
func (p *part) split() []*part {
	if p.topic == nil {
		return []*part{p}
	}
	var parts []*part
	p.subjects = slices.DeleteFunc(p.subjects, func(subject string) bool {
		if !p.topic.separate(subject) {
			return false
		}
		parts = append(parts, p.only(subject))
		return true
	})
	if len(p.subjects) > 0 {
		parts = append(parts, p)
	}
	return parts
}

func (p *part) request() Request {
	if p.topic == nil {
		return p.single.request
	}
	return p.topic.request(p.subjects)
}

func (p *part) fail(err error) {
	if p.topic == nil {
		p.single.found.err = err
	}
	for _, all := range p.calls {
		for _, a := range all {
			a.found.err = err
		}
	}
}

// read parses a reply and returns the parts that must be repeated. If parsing an unexpected
// reply panics, only the calls of this part fail.
func (p *part) read(reply Reply, last bool) (again []*part) {
	if p.topic == nil {
		p.single.reply = reply
		return nil
	}
	defer func() {
		if fault := recover(); fault != nil {
			p.fail(fmt.Errorf("provider bug: a reply of the host's shell caused a panic: %v; please report this", fault))
			again = nil
		}
	}()
	closer := &part{topic: p.topic.closer, calls: map[string][]*call{}}
	for i, f := range p.topic.read(p.subjects, reply) {
		subject := p.subjects[i]
		switch {
		case f.recent && !last:
			closer.add(subject, p.calls[subject]...)
			continue
		case (f.again || f.moved) && !last:
			again = append(again, p.only(subject))
			continue
		case f.again, f.moved, f.recent:
			f.err = cmp.Or(f.err, errMoving)
		}
		for _, a := range p.calls[subject] {
			a.found = f
		}
	}
	if len(closer.subjects) > 0 {
		again = append(again, closer)
	}
	return again
}
