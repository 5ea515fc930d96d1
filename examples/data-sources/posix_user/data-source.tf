data "posix_user" "www" {
  name = "www-data"
}

# What the user of the web server may read.
output "www_groups" {
  value = concat([data.posix_user.www.group], data.posix_user.www.groups)
}
