terraform import posix_sudoers.deploy 50-deploy
