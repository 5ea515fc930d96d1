import {
  to = posix_directory.uploads
  id = "/srv/site/uploads" # or with a host: "local:/srv/site/uploads"
}
