terraform import posix_file.motd /etc/motd
