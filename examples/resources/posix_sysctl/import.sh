terraform import posix_sysctl.forward net.ipv4.ip_forward
