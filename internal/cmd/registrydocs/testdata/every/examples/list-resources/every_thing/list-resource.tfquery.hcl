list "every_thing" "all" {
  provider = every
}
