data "posix_user" "www" {
  name = "www-data"
}

# All groups of the web server user.
output "www_groups" {
  value = concat([data.posix_user.www.group], data.posix_user.www.groups)
}
