terraform import posix_file_block.machines /etc/hosts#our-machines
