// Package hosttest states the contract of package host as tests.
//
// An implementation of [host.Host] runs them from one of its tests:
//
//	func TestConformance(t *testing.T) {
//		hosttest.Run(t, func(t *testing.T) (host.Host, string) {
//			return newHost(t), emptyDirectory(t)
//		})
//	}
//
// The function is called for each test and returns a host and, on that host, an empty directory that the
// test may fill; hosts may be shared. The tests access the host only through package host,
// except for sockets and in [Swapped]. Some tests need root and others need a user without privileges, so an
// implementation is tested completely only when the tests are run as both. Tests of commands are skipped on a host
// whose Run returns [errors.ErrUnsupported].
//
// [Stream] is for implementations that do not hold contents in memory, [Swapped] for those that run as root on the
// host of the test.
//
// Elsewhere: each implementation has tests of its internals, such as the locks of
// host/local.
package hosttest
