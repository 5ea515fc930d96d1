import {
  to = posix_symlink.current
  id = "/srv/app/current" # or with a host: "local:/srv/app/current"
}
