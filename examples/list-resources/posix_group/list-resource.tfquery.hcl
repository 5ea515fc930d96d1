list "posix_group" "teams" {
  provider = posix

  config {
    name_pattern = "team-.*"
  }
}
