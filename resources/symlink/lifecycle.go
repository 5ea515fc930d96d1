package symlink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// ValidateInputs is part of [runtime.InputValidator].
func (s *Symlink) ValidateInputs(ctx context.Context, hosts *target.Hosts) error {
	h, err := hosts.Find(s.Host)
	if err != nil || !runtime.PlansCreate(ctx) || hosts.Remembers(h, s.Path) {
		return err
	}
	return hosts.Look(ctx, h, func() error {
		info, err := hosts.Glance(ctx, h, s.Path)
		if err != nil {
			return target.Unseen(err)
		}
		return s.adoptable(h, info)
	})
}

// adoptable refuses what is at the path if it is not the link that is to be.
func (s *Symlink) adoptable(h host.Host, info host.FileInfo) error {
	switch {
	case info.Type != host.TypeSymlink:
		return target.Unexpected(h, s.Path, host.TypeSymlink, info.Type)
	case info.LinkTarget == string(s.Target):
		return nil
	}
	return diag.AttributeErrorf("path", "%s already exists on host %s, as a link to %s. "+
		"To manage it, import it (id %q); a plan then shows the change of its target. Or remove it",
		s.Path, h.Name(), host.QuotePath(info.LinkTarget), h.Name()+":"+string(s.Path))
}

// noDirectory is what to do where the directory of the link is missing.
const noDirectory = "create it first, for example with posix_directory"

// Create is part of [runtime.TypedResource].
func (s *Symlink) Create(ctx context.Context, hosts *target.Hosts) (*Output, error) {
	h, err := hosts.Find(s.Host)
	if err != nil {
		return nil, err
	}
	info, err := h.Symlink(ctx, string(s.Target), string(s.Path))
	switch {
	case errors.Is(err, fs.ErrExist):
		if info, err = h.Lstat(ctx, string(s.Path)); err == nil {
			err = s.adoptable(h, info)
		}
	default:
		err = target.NoDirectory(ctx, h, s.Path, err, noDirectory)
	}
	if err != nil {
		return nil, target.Explain(h, s.Path, host.TypeSymlink, err)
	}
	hosts.Make(h, s.Path)
	return s.output(h, info), nil
}

// Read is part of [runtime.TypedResource].
func (s *Symlink) Read(ctx context.Context, hosts *target.Hosts, prior *Output) (*Output, error) {
	if target.HostIsOpen(ctx) {
		return prior, nil
	}
	h, err := hosts.Find(s.Host)
	if err != nil {
		return nil, err
	}
	info, err := s.lstat(ctx, h)
	if errors.Is(err, fs.ErrNotExist) {
		hosts.Forget(h, s.Path)
		return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	hosts.Remember(h, s.Path)
	return s.output(h, info), nil
}

// Update is part of [runtime.TypedResource].
func (s *Symlink) Update(ctx context.Context, hosts *target.Hosts, prior runtime.Prior[Symlink, *Output]) (*Output, error) {
	h, err := hosts.Find(s.Host)
	if err != nil {
		return nil, err
	}
	if prior.Inputs.Host == nil {
		info, err := s.arrival(ctx, h, prior.Inputs.Target)
		if err != nil {
			return nil, err
		}
		target.SettleHost(ctx)
		if info.LinkTarget == string(s.Target) {
			return s.output(h, info), nil
		}
	}
	info, err := h.ReplaceSymlink(ctx, string(s.Target), string(s.Path))
	if err = target.NoDirectory(ctx, h, s.Path, err, noDirectory); err != nil {
		return nil, target.Explain(h, s.Path, host.TypeSymlink, err)
	}
	return s.output(h, info), nil
}

// Delete is part of [runtime.TypedResource].
func (s *Symlink) Delete(ctx context.Context, hosts *target.Hosts, _ *Output) error {
	if target.HostIsOpen(ctx) {
		return target.NotDeleted(s.Path)
	}
	h, err := hosts.Find(s.Host)
	if err != nil {
		return err
	}
	if hosts.Made(h, s.Path) {
		target.WarnShared(ctx, h, s.Path)
		return nil
	}
	if err := target.Remove(ctx, h, s.Path, host.TypeSymlink); err != nil {
		return err
	}
	hosts.Forget(h, s.Path)
	return nil
}

// lstat is what is at the path, if that is a link.
func (s *Symlink) lstat(ctx context.Context, h host.Host) (host.FileInfo, error) {
	info, err := h.Lstat(ctx, string(s.Path))
	if err == nil && info.Type != host.TypeSymlink {
		err = target.Unexpected(h, s.Path, host.TypeSymlink, info.Type)
	}
	return info, err
}

func (s *Symlink) output(h host.Host, info host.FileInfo) *Output {
	return &Output{Host: new(h.Name()), Path: s.Path, Target: Target(target.Shown(info.LinkTarget))}
}
