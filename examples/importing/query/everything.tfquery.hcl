# Lists the objects of the host, with Terraform 1.14 or later: terraform query

provider "posix" {}

list "posix_user" "people" {
  provider         = posix
  include_resource = true
}

list "posix_group" "teams" {
  provider         = posix
  include_resource = true
}

list "posix_directory" "directories" {
  provider         = posix
  include_resource = true

  config {
    path    = "/etc"
    pattern = "app"
  }
}

list "posix_file" "files" {
  provider         = posix
  include_resource = true

  config {
    path      = "/etc/app"
    recursive = true
  }
}

list "posix_package" "wanted" {
  provider         = posix
  include_resource = true

  config {
    name_pattern = "cron|sudo"
  }
}

list "posix_service" "running" {
  provider         = posix
  include_resource = true
}
