terraform import posix_package.nginx nginx
