variable "release" {
  type    = string
  default = "v2"
}

# The link changes atomically from the old release to the new one.
resource "posix_symlink" "current" {
  path   = "/srv/app/current"
  target = "releases/${var.release}" # relative to /srv/app
}
