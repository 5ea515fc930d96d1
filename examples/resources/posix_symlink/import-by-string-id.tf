import {
  to = posix_symlink.current
  id = "/srv/app/current" # or with the host before the path: "local:/srv/app/current"
}
