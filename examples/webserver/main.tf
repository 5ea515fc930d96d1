# A web server from nothing: a user to run as, the package, the pages, a
# configuration that is checked before it is installed, and the service, which is
# reloaded when the configuration is another one.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "port" {
  type    = number
  default = 80
}

variable "workers" {
  type    = number
  default = 1
}

# The server's own user, which nobody logs in as.
resource "posix_user" "web" {
  name        = "web"
  system      = true
  home        = "/srv/site"
  create_home = false
  shell       = "/usr/sbin/nologin"
}

resource "posix_package" "nginx" {
  name = "nginx"
}

# The pages are the files of the folder beside this one. What else is in the folder on
# the host is removed.
resource "posix_tree" "pages" {
  path   = "/srv/site"
  source = "${path.module}/site"
  purge  = true
}

# nginx itself says whether the configuration is good, before it takes the place of
# the old one.
resource "posix_file" "configuration" {
  path      = "/etc/nginx/nginx.conf"
  overwrite = true # the package brings one
  validate  = ["nginx", "-t", "-q", "-c", "%s"]
  content   = <<-EOT
    user ${posix_user.web.name};
    worker_processes ${var.workers};
    pid /run/nginx.pid;

    events {}

    http {
      types {
        text/css  css;
        text/html html;
      }
      server {
        listen ${var.port};
        root ${posix_tree.pages.path};
      }
    }
  EOT

  depends_on = [posix_package.nginx]
}

resource "posix_service" "nginx" {
  name      = "nginx"
  enabled   = true
  running   = true
  on_change = "reload"
  triggers  = { configuration = posix_file.configuration.sha256 }
}
