// Package sshhost is a host that is reached over SSH.
//
// Its parts are in internal: the connection (conn), what is spoken over it (sftp,
// shell) and what they need of each other (remote). Package resources makes one
// host for each that the provider's configuration names.
//
// Invariants: those of package host; and nothing is dialled before it is needed.
//
// Elsewhere: how configuration names hosts is package resources.
package sshhost
