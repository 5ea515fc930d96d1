import {
  to = posix_sysctl.forward
  id = "net.ipv4.ip_forward" # or with the host before the key: "local:net.ipv4.ip_forward"
}
