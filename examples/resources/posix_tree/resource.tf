# The folder of a site, as it is beside this configuration. What others put on the
# host beside it is left alone.
resource "posix_tree" "site" {
  path    = "/srv/site"
  source  = "${path.module}/site"
  exclude = [".git/", "*.bak", "/docs/**/*.draft"]
  owner   = "root"
  group   = "www-data"
}

# A folder that has nothing else in it: what the source does not have is removed, and
# the plan names it. Only root and the group read it.
resource "posix_tree" "rules" {
  path           = "/etc/site/rules"
  source         = "${path.module}/rules"
  purge          = true
  file_mode      = "0640"
  directory_mode = "0750"
}
