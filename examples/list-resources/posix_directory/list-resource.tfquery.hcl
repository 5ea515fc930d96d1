list "posix_directory" "sites" {
  provider         = posix
  include_resource = true

  config {
    host = "web1"
    path = "/srv"
  }
}
