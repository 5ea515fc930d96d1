locals {
  name = "web"
}
