// Package fleettest manages many resources of every type on several Debian hosts
// over SSH, chosen by a seed: create, drift, repair, import and destroy. It has only
// tests.
//
// Elsewhere: the package of each type tests its lifecycle.
package fleettest
