ephemeral "every_thing" "this" {}
