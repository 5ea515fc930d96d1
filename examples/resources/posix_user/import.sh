terraform import posix_user.alice alice
