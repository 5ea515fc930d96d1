list "posix_directory" "sites" {
  provider         = posix
  include_resource = true

  config {
    host = "web-1"
    path = "/srv"
  }
}
