variable "size" {
  type    = string
  default = "small"
}

resource "legacy_server" "s" {
  name = "web"
  size = var.size
}
