resource "posix_group" "deploy" {
  name    = "deploy"
  gid     = 2100
  members = ["www-data"] # all members; if unset, members are not managed
}
