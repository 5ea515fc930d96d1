package sshhost

import "github.com/posixform/terraform-provider-posix/host"

var _ host.Resetter = (*Host)(nil)

// Reset implements [host.Resetter]. Hosts behind this one lose their connections too.
func (h *Host) Reset() {
	h.disconnect()
	h.conn.Forget()
	h.mode.Store(nil) // a booting host may not offer everything yet
}
