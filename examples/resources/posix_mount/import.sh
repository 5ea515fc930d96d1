terraform import posix_mount.scratch /srv/scratch
