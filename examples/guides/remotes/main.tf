# Connections are configured once, not in each resource or provider alias.
provider "posix" {
  hosts = {
    web1 = { address = "10.0.0.12", user = "john", sudo = {} }
    web2 = { address = "10.0.0.13", user = "john", sudo = {} }
  }
}

# remote_file, of tenstad/remote
resource "posix_file" "motd" {
  host    = "web1" # the conn block, or the provider alias
  path    = "/etc/motd"
  content = "Welcome\n"
  mode    = "0644" # permissions
}

moved {
  from = remote_file.motd
  to   = posix_file.motd
}

# system_file, of neuspaces/system
resource "posix_file" "app" {
  host    = "web2"
  path    = "/etc/app/app.conf"
  content = "workers = 4\n"
  mode    = "0640"
  owner   = "root" # user, or uid
  group   = "app"  # group, or gid
}

moved {
  from = system_file.app
  to   = posix_file.app
}

# system_folder
resource "posix_directory" "data" {
  host = "web2"
  path = "/srv/data"
  mode = "0750"
}

moved {
  from = system_folder.data
  to   = posix_directory.data
}

# system_link
resource "posix_symlink" "current" {
  host   = "web2"
  path   = "/srv/current"
  target = "releases/42"
}

moved {
  from = system_link.current
  to   = posix_symlink.current
}
