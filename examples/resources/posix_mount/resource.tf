resource "posix_mount" "scratch" {
  path    = "/srv/scratch"
  source  = "tmpfs"
  type    = "tmpfs"
  options = ["size=64m", "mode=1777", "nodev", "nosuid", "noexec"]
}
