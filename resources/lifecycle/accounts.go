package lifecycle

// Kinds of accounts.
const (
	AccountUser  = "user"
	AccountGroup = "group"
)

// plannedAccounts are the users and groups that this run is planned to create. What is
// planned after them may belong to them, although the host does not have them yet.
type plannedAccounts struct{ places *places }

func newPlannedAccounts() plannedAccounts { return plannedAccounts{newPlaces()} }

// anyAccount is the key of accounts whose names are not known before.
const anyAccount Key = "account:"

// PlanAccount records that an account is planned to be created in this run.
func (s *Scope) PlanAccount(kind, name string) {
	s.hosts.accounts.places.add(s.Host, NameKey(kind, name))
}

// PlanAnyAccount records that accounts with unknown names may be created in this run,
// as packages do.
func (s *Scope) PlanAnyAccount() { s.hosts.accounts.places.add(s.Host, anyAccount) }

// PlannedAccount reports whether an account that does not exist may be created in this
// run.
func (s *Scope) PlannedAccount(kind, name string) bool {
	of := s.hosts.accounts.places
	return of.contains(s.Host, NameKey(kind, name)) || of.contains(s.Host, anyAccount)
}
