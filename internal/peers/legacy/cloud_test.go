package legacy_test

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Server is a server as the cloud stores it.
type Server struct {
	Name, Zone, Size, UserData, Policy, Password, Secret string
	Enabled                                              bool
	Weight                                               float64
	Revision                                             int
	Tags                                                 map[string]string
	Labels                                               []string
	Ports                                                []int
	Disks                                                []Disk
	Networks                                             []Network
	Rules                                                []Rule
	Boot                                                 *Boot
}

// Disk is an ordered part of a server.
type Disk struct {
	ID, Name string
	GB       int
}

// Network is an unordered part of a server.
type Network struct {
	Name    string
	Public  bool
	Aliases []string
}

// Rule is a part of a server. The cloud chooses a rule if there is none.
type Rule struct {
	Action string
	Port   int
}

// Boot is an optional part of a server.
type Boot struct {
	Image string
	Delay int
}

// Cloud is a set of servers in memory.
type Cloud struct {
	mu      sync.Mutex
	servers map[string]Server
	made    int
	refused string
}

// NewCloud returns a cloud without servers.
func NewCloud() *Cloud { return &Cloud{servers: map[string]Server{}} }

// ErrNoServer is returned, wrapped with the ID, for a server that does not exist.
var ErrNoServer = errors.New("no such server")

// Refuse makes later calls of [Cloud.Create] and [Cloud.Update] for the named server fail
// after they have stored the server without tags. With an empty name, no call
// fails any more.
func (c *Cloud) Refuse(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused = name
}

// Len returns the number of servers.
func (c *Cloud) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.servers)
}

// Get returns the server with the ID, or [ErrNoServer].
func (c *Cloud) Get(id string) (Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.servers[id]
	if !ok {
		return Server{}, fmt.Errorf("%s: %w", id, ErrNoServer)
	}
	s.Tags = maps.Clone(s.Tags)
	return s, nil
}

// Create creates a server and returns its ID, which consists of zone and name. The
// cloud chooses missing values: the zone, IDs of disks and one rule. Create returns an
// error if the server exists. If [Cloud.Refuse] makes it fail, it returns the ID and an error.
func (c *Cloud) Create(s Server) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Zone == "" {
		s.Zone = "north"
	}
	id := s.Zone + "/" + s.Name
	if _, ok := c.servers[id]; ok {
		return "", fmt.Errorf("%s: a server of this name already exists", id)
	}
	return id, c.store(id, s)
}

// Update replaces a server. It returns [ErrNoServer] if the server does not exist, and
// a different error if [Cloud.Refuse] makes it fail.
func (c *Cloud) Update(id string, s Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	prior, ok := c.servers[id]
	if !ok {
		return fmt.Errorf("%s: %w", id, ErrNoServer)
	}
	s.Revision = prior.Revision
	return c.store(id, s)
}

func (c *Cloud) store(id string, s Server) error {
	s.Revision++
	if len(s.Rules) == 0 {
		s.Rules = []Rule{{Action: "deny", Port: 0}}
	}
	for i := range s.Disks {
		if s.Disks[i].ID == "" {
			c.made++
			s.Disks[i].ID = fmt.Sprintf("disk-%d", c.made)
		}
	}
	refused := c.refused == s.Name
	if refused {
		s.Tags = nil
	}
	c.servers[id] = s
	if refused {
		return fmt.Errorf("%s: the cloud refused the tags", id)
	}
	return nil
}

// Change changes a server outside of the provider. It returns [ErrNoServer] if the server
// does not exist.
func (c *Cloud) Change(id string, change func(*Server)) error {
	s, err := c.Get(id)
	if err != nil {
		return err
	}
	change(&s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.servers[id] = s
	return nil
}

// Delete deletes a server, if it exists.
func (c *Cloud) Delete(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.servers, id)
}
