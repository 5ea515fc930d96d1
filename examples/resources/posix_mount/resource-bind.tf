# What is in one directory can be read in another.
resource "posix_mount" "public" {
  path    = "/srv/public"
  source  = "/usr/share/doc"
  type    = "none"
  options = ["bind", "ro"]
}
