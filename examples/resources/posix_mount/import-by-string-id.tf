import {
  to = posix_mount.scratch
  id = "/srv/scratch" # or with the host before the path: "local:/srv/scratch"
}
