import {
  to = posix_tree.site
  id = "/srv/site" # or with the host before the path: "local:/srv/site"
}
