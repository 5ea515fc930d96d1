package legacy

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Server is what the cloud knows of a server.
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

// Disk is a part of a server whose order counts.
type Disk struct {
	ID, Name string
	GB       int
}

// Network is a part of a server whose order does not count.
type Network struct {
	Name    string
	Public  bool
	Aliases []string
}

// Rule is a part of a server that the cloud fills in where none is given.
type Rule struct {
	Action string
	Port   int
}

// Boot is a part that a server has once, if at all.
type Boot struct {
	Image string
	Delay int
}

// Cloud is a place with servers, for as long as the process lasts.
type Cloud struct {
	mu      sync.Mutex
	servers map[string]Server
	made    int
	refused string
}

// NewCloud is a cloud without servers.
func NewCloud() *Cloud { return &Cloud{servers: map[string]Server{}} }

// ErrNoServer is what is said of a server that is not there.
var ErrNoServer = errors.New("no such server")

// Refuse makes every later creation and change of the server of this name fail,
// after half of it was done; "" refuses none.
func (c *Cloud) Refuse(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused = name
}

// Len is how many servers there are.
func (c *Cloud) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.servers)
}

// Get is the server of this id.
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

// Create makes a server and gives its id, which is the zone and the name. The
// cloud chooses what is left out: the zone, the ids of disks and one rule.
func (c *Cloud) Create(s Server) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Zone == "" {
		s.Zone = "north"
	}
	id := s.Zone + "/" + s.Name
	if _, ok := c.servers[id]; ok {
		return "", fmt.Errorf("%s: there is a server of this name", id)
	}
	return id, c.store(id, s)
}

// Update replaces what is known of a server.
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

// Change does something to a server behind the provider's back.
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

// Delete removes a server; one that is not there is no error.
func (c *Cloud) Delete(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.servers, id)
}
