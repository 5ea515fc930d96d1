# A read-only bind mount of a directory.
resource "posix_mount" "public" {
  path    = "/srv/public"
  source  = "/usr/share/doc"
  type    = "none"
  options = ["bind", "ro"]
}
