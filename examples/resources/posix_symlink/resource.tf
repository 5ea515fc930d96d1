variable "release" {
  type    = string
  default = "v2"
}

# Whoever follows the link while it changes comes to the old release or the new.
resource "posix_symlink" "current" {
  path   = "/srv/app/current"
  target = "releases/${var.release}" # relative to /srv/app
}
