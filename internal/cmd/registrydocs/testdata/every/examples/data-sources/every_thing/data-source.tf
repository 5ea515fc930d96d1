data "every_thing" "this" {
  id = "one"
}
