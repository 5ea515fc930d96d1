import {
  to = posix_tree.site
  id = "/srv/site" # or with a host: "local:/srv/site"
}
