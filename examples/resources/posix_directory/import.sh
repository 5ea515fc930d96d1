terraform import posix_directory.uploads /srv/site/uploads
