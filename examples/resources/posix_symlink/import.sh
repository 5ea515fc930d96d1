terraform import posix_symlink.current /srv/app/current
