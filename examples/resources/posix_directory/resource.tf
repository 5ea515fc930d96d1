resource "posix_directory" "uploads" {
  path  = "/srv/site/uploads"
  mode  = "2775" # setgid: new files get the group of the directory
  owner = "root"
  group = "www-data"
}

# A cache that is deleted with all of its content on destroy.
resource "posix_directory" "cache" {
  path          = "/var/cache/site"
  mode          = "0700"
  force_destroy = true
}
