terraform import posix_file_block.hosts /etc/hosts#our-hosts
