terraform import posix_group.deploy deploy
