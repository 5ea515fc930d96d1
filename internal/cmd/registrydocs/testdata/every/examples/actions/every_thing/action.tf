action "every_thing" "this" {}
