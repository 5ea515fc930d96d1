import {
  to = posix_file.motd
  id = "/etc/motd" # or with the host before the path: "local:/etc/motd"
}
