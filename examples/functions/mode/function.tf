resource "posix_directory" "app" {
  path = "/srv/app-data"
  mode = provider::posix::mode("u=rwx,g=rx,o=") # "0750"
}

output "executable" {
  value = provider::posix::mode("a+x", "0644") # "0755"
}
