resource "posix_group" "deploy" {
  name    = "deploy"
  gid     = 2100
  members = ["www-data"] # all members; leave it out to not manage members
}
