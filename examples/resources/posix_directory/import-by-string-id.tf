import {
  to = posix_directory.uploads
  id = "/srv/site/uploads" # or with the host before the path: "local:/srv/site/uploads"
}
