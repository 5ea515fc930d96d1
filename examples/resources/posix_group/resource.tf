resource "posix_group" "deploy" {
  name    = "deploy"
  gid     = 2100
  members = ["www-data"] # these and nobody else; leave it out to manage no members
}
