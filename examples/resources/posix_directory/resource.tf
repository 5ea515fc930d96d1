resource "posix_directory" "uploads" {
  path  = "/srv/site/uploads"
  mode  = "2775" # what is uploaded belongs to the group of the directory
  owner = "root"
  group = "www-data"
}

# Scratch space, deleted with everything in it when the resource is destroyed.
resource "posix_directory" "cache" {
  path          = "/var/cache/site"
  mode          = "0700"
  force_destroy = true
}
