terraform import posix_command.deploy deploy
