terraform import posix_service.nginx nginx
