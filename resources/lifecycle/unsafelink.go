package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Links is embedded in the inputs of resource types that can follow unsafe links.
type Links struct {
	// Whether to follow a symbolic link among the parent directories of `path` if a
	// user other than root can change the link. Only used if the provider runs as root:
	// a user who can change such a link chooses what root reads and changes. If `false`
	// (the default), such a link is not followed: changes fail, the plan of a create
	// fails too, and other plans show a warning and keep the last known state.
	FollowLinks *bool
}

// FollowsLinks reports whether root follows symbolic links above the path that other users can
// change: see [host.WithFollowLinks].
func (l *Links) FollowsLinks() bool { return l.FollowLinks != nil && *l.FollowLinks }

// linkFollower is implemented by types that embed [Links].
type linkFollower interface{ FollowsLinks() bool }

// withLinks returns the context for the methods of an object, in which root follows
// links if follow_links is true.
func withLinks(ctx context.Context, object Object) context.Context {
	if follower, ok := object.(linkFollower); ok && follower.FollowsLinks() {
		return host.WithFollowLinks(ctx)
	}
	return ctx
}

// explainLink adds the remedy to an error of method about a link that root does not follow.
func explainLink(ctx context.Context, object Object, method runtime.ResourceMethod, err error) error {
	if _, has := object.(linkFollower); !has || !isUnsafeLink(err) {
		return err
	}
	remedy := "set follow_links = true"
	switch {
	case runtime.Imports(ctx): // an import has no configuration
		remedy = "create the resource with follow_links = true instead of importing the object: an object that is as configured is adopted"
	case method == runtime.MethodDelete: // a delete uses the attributes in the state
		remedy += ", and apply this change before the resource is destroyed"
	}
	return fmt.Errorf("%w. If users who can change the link may choose which files of the host this resource reads and changes as root, %s", err, remedy)
}

func isUnsafeLink(err error) bool {
	_, is := errors.AsType[*host.UnsafeLinkError](err)
	return is
}

// keepUnread turns the error of a read into a warning if root does not follow a link above the
// path. The object is kept in the state as it was, because it may still exist. The state must not get any
// part of the file that the link points to, and the user who created the link must not be able to
// make every plan of the configuration fail. An import has nothing to keep.
func keepUnread(ctx context.Context, object Object, err error) error {
	if !isUnsafeLink(err) || runtime.Imports(ctx) {
		return err
	}
	text := explainLink(ctx, object, runtime.MethodRead, err).Error() + ". The object keeps its last known state, and changes to it fail."
	if _, has := object.(linkFollower); has {
		text += " To follow the link, apply follow_links = true first, without other changes: the next plan then shows the object that the link leads to."
	}
	runtime.Warn(ctx, "", "Not read: the path leads through a symbolic link of another user", text)
	return nil
}
