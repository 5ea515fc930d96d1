package shellrpc

import (
	"cmp"
	"slices"
)

// part is one question of a batch. It answers a single call, or all calls with one topic; a
// path that several calls ask about is in it once.
type part struct {
	topic    *topic // nil for a question without a topic
	subjects []string
	asked    map[string][]*asked // by subject
	single   *asked
}

// plan returns the questions of a batch.
func plan(batch []*asked) []*part {
	var parts []*part
	joint := map[*topic]*part{}
	for _, a := range batch {
		switch {
		case a.topic == nil:
			parts = append(parts, &part{single: a})
			continue
		case joint[a.topic] == nil:
			joint[a.topic] = &part{topic: a.topic, asked: map[string][]*asked{}}
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

func (p *part) add(subject string, asked ...*asked) {
	if p.asked[subject] == nil {
		p.subjects = append(p.subjects, subject)
	}
	p.asked[subject] = append(p.asked[subject], asked...)
}

// only returns the part with a single path.
func (p *part) only(subject string) *part {
	one := &part{topic: p.topic, asked: map[string][]*asked{}}
	one.add(subject, p.asked[subject]...)
	return one
}

// split separates the paths that must be asked about alone.
func (p *part) split() []*part {
	if p.topic == nil {
		return []*part{p}
	}
	var parts []*part
	p.subjects = slices.DeleteFunc(p.subjects, func(subject string) bool {
		if !p.topic.alone(subject) {
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

func (p *part) question() Question {
	if p.topic == nil {
		return p.single.question
	}
	return p.topic.ask(p.subjects)
}

func (p *part) fail(err error) {
	if p.topic == nil {
		p.single.found.err = err
	}
	for _, all := range p.asked {
		for _, a := range all {
			a.found.err = err
		}
	}
}

// read parses an answer and returns the parts that must be repeated.
func (p *part) read(answer Answer, last bool) (again []*part) {
	if p.topic == nil {
		p.single.answer = answer
		return nil
	}
	closer := &part{topic: p.topic.closer, asked: map[string][]*asked{}}
	for i, f := range p.topic.read(p.subjects, answer) {
		subject := p.subjects[i]
		switch {
		case f.recent && !last:
			closer.add(subject, p.asked[subject]...)
			continue
		case (f.again || f.moved) && !last:
			again = append(again, p.only(subject))
			continue
		case f.again, f.moved, f.recent:
			f.err = cmp.Or(f.err, errMoving)
		}
		for _, a := range p.asked[subject] {
			a.found = f
		}
	}
	if len(closer.subjects) > 0 {
		again = append(again, closer)
	}
	return again
}
