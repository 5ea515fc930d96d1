import {
  to = posix_file.motd
  id = "/etc/motd" # or with a host: "local:/etc/motd"
}
