# A small web site on the local host: a directory, two files and a symbolic link.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "root" {
  description = "Existing directory in which all objects are created."
  type        = string
}

variable "greeting" {
  type    = string
  default = "hello"
}

resource "posix_directory" "site" {
  path = "${var.root}/site"
}

resource "posix_file" "index" {
  path    = "${posix_directory.site.path}/index.html"
  content = <<-EOT
    <h1>${var.greeting}</h1>
    <p>written by a plan</p>
  EOT
}

resource "posix_file" "settings" {
  path    = "${posix_directory.site.path}/settings.ini"
  content = "debug = false\n"
  mode    = "0600"
}

resource "posix_symlink" "current" {
  path   = "${var.root}/current"
  target = posix_directory.site.path
}
