// Package fleettest manages many resources of most types, chosen by a seed, on several Debian hosts
// over SSH: create, drift, repair, import and destroy. It also interrupts the applies of
// such resources on one host, or applies them while its disks are full: the next apply must
// succeed. It has only tests.
//
// It does not manage posix_hostname or posix_sysctl, whose objects are in the kernel that the
// hosts share, posix_package_repository, or posix_command, which is not an object of the host.
//
// Elsewhere: the package of each type tests its lifecycle; package faulttest injects faults into
// runs of a few types.
package fleettest
