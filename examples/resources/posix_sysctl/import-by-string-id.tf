import {
  to = posix_sysctl.forward
  id = "net.ipv4.ip_forward" # or with a host: "local:net.ipv4.ip_forward"
}
