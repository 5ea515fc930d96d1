terraform import posix_hostname.this local
