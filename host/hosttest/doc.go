// Package hosttest states the contract of package host as tests.
//
// An implementation of [host.Host] runs them from a test of its own:
//
//	func TestConformance(t *testing.T) {
//		hosttest.Run(t, func(t *testing.T) (host.Host, string) {
//			return newHost(t), emptyDirectory(t)
//		})
//	}
//
// newHost is called for each test and answers a host and an empty directory on
// it that the test may fill; hosts may be shared. The tests look at the host
// only through the contract. What needs rights is asked when the host has them,
// and what the lack of rights does when it has not, so an implementation is
// tested completely only when it is run both as root and as another user.
// What needs commands is skipped on a host that answers
// [errors.ErrUnsupported] to Run.
//
// [Stream] is for implementations that do not hold contents in memory.
//
// Elsewhere: what one implementation does with means of its own, such as the
// locks of host/local, is tested beside it.
package hosttest
