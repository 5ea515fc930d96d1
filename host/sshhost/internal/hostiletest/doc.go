// Package hostiletest tests package sshhost with the servers of package hostilessh, which
// misbehave.
package hostiletest
