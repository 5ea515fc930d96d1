# Copy a local directory. Other files in the directory on the host are kept.
resource "posix_tree" "site" {
  path    = "/srv/site"
  source  = "${path.module}/site"
  exclude = [".git/", "*.bak", "/docs/**/*.draft"]
  owner   = "root"
  group   = "www-data"
}

# Remove everything that is not in the source. Only the owner and the group can read
# the files.
resource "posix_tree" "rules" {
  path           = "/etc/site/rules"
  source         = "${path.module}/rules"
  purge          = true
  file_mode      = "0640"
  directory_mode = "0750"
}
