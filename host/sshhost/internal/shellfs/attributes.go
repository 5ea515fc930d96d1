package shellfs

import (
	"context"
	"strconv"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// SetAttributes implements [remotefs.Backend]. If both mode and owner change, it first sets
// the bits that the old and the new mode share, so that the new owner never has the old
// mode and the old owner never has the new mode.
func (f *Files) SetAttributes(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	is, err := f.batches.Stat(ctx, path)
	if err != nil {
		return host.FileInfo{}, err
	}
	if attrs.Mode != nil && is.Type == host.TypeSymlink {
		return host.FileInfo{}, &host.TypeError{Got: host.TypeSymlink}
	}
	var first, owner, then string
	if attrs.OtherOwner(is.UID, is.GID) {
		owner = ownerText(attrs)
		if attrs.Mode != nil && is.Mode&*attrs.Mode&0o777 != is.Mode {
			first = modeText(is.Mode & *attrs.Mode & 0o777)
		}
	}
	if attrs.Mode != nil && (owner != "" || *attrs.Mode != is.Mode) {
		then = modeText(*attrs.Mode)
	}
	if owner == "" && then == "" {
		return toInfo(is), nil
	}
	answer, err := f.change(ctx, shell.Call("px_attributes", path, first, owner, then), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	return accepted(path, answer, attrs)
}

// accepted is result for a path whose attributes were set.
func accepted(path string, answer shellrpc.Answer, attrs host.Attributes) (host.FileInfo, error) {
	info, err := result(path, answer, host.TypeUnknown, attrs)
	if err == nil {
		err = attrs.Accepted(info.Mode, info.UID, info.GID)
	}
	return info, err
}

// modeText returns a mode for chmod(1). Some versions keep setuid and setgid of a directory
// unless there are five digits.
func modeText(mode host.Mode) string { return "0" + mode.String() }

// ownerText returns an owner for chown(1), or "" if none is set.
func ownerText(attrs host.Attributes) string {
	text := number(attrs.UID, "")
	if attrs.GID != nil {
		text += ":" + number(attrs.GID, "")
	}
	return text
}

func number(n *uint32, none string) string {
	if n == nil {
		return none
	}
	return strconv.FormatUint(uint64(*n), 10)
}
