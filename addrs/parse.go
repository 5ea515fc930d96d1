package addrs

// ParseModuleStr is the inverse of [Module.String].
func ParseModuleStr(text string) (Module, error) {
	s := scan("the address of a module without keys", text)
	var m Module
	for s.pos < len(s.text) {
		if len(m) > 0 {
			s.want('.', "between modules, which have no keys here")
		}
		m = append(m, s.module())
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return m, nil
}

// ParseModuleInstanceStr is the inverse of [ModuleInstance.String].
func ParseModuleInstanceStr(text string) (ModuleInstance, error) {
	s := scan("the address of a module instance", text)
	var m ModuleInstance
	for s.pos < len(s.text) {
		if len(m) > 0 {
			s.want('.', "between modules")
		}
		m = append(m, ModuleInstanceStep{Name: s.module(), InstanceKey: s.key()})
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return m, nil
}

// ParseAbsResourceInstanceStr is the inverse of [AbsResourceInstance.String].
func ParseAbsResourceInstanceStr(text string) (AbsResourceInstance, error) {
	s := scan("the address of a resource instance", text)
	r := AbsResourceInstance{Module: s.modules()}
	r.Resource = s.resource().Instance(s.key())
	if err := s.end(); err != nil {
		return AbsResourceInstance{}, err
	}
	return r, nil
}

// ParseAbsResourceStr is the inverse of [AbsResource.String].
func ParseAbsResourceStr(text string) (AbsResource, error) {
	s := scan("the address of a resource", text)
	r := AbsResource{Module: s.modules(), Resource: s.resource()}
	if err := s.end(); err != nil {
		return AbsResource{}, err
	}
	return r, nil
}

// ParseConfigResourceStr is the inverse of [ConfigResource.String].
func ParseConfigResourceStr(text string) (ConfigResource, error) {
	s := scan("the address of a resource without keys", text)
	module := s.staticModules()
	r := ConfigResource{Module: module, Resource: s.resource()}
	if err := s.end(); err != nil {
		return ConfigResource{}, err
	}
	return r, nil
}

// module reads the word and the name of a module.
func (s *scanner) module() string {
	if s.err == nil && !s.takeWord("module") {
		s.fail(`"module." is expected`)
	}
	return s.name("a module")
}

// modules reads the modules before something, with the dot after them.
func (s *scanner) modules() ModuleInstance {
	var m ModuleInstance
	for s.takeWord("module") {
		m = s.step(m)
		s.want('.', "after a module")
	}
	return m
}

// staticModules is modules where no key may be.
func (s *scanner) staticModules() Module {
	var m Module
	for s.takeWord("module") {
		m = append(m, s.name("a module"))
		s.want('.', "after a module, which has no key here")
	}
	return m
}

func (s *scanner) step(m ModuleInstance) ModuleInstance {
	return append(m, ModuleInstanceStep{Name: s.name("a module"), InstanceKey: s.key()})
}

func (s *scanner) resource() Resource {
	r := Resource{Mode: ManagedResourceMode}
	switch {
	case s.takeWord("data"):
		r.Mode = DataResourceMode
	case s.takeWord("ephemeral"):
		r.Mode = EphemeralResourceMode
	}
	start := s.pos
	r.Type = s.name("a resource type")
	if r.Mode == ManagedResourceMode && (r.Type == "data" || r.Type == "ephemeral" || r.Type == "module") {
		s.pos = start
		s.fail("the type of a resource is expected, which is never called " + quote(r.Type))
	}
	s.want('.', "between the type and the name of a resource")
	r.Name = s.name("a resource")
	return r
}
