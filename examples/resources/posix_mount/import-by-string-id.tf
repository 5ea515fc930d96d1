import {
  to = posix_mount.scratch
  id = "/srv/scratch" # or with a host: "local:/srv/scratch"
}
