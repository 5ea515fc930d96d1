# The schema of the provider, which scenarios can extend. Attributes are written as
# "type flag…". Each object has a name, which identifies it among the objects of its
# type in behaviours and recorded calls. A change of an attribute with the name force
# replaces the object.

provider {
  attributes = {
    mode = "string optional"
  }
}

resource "wrong_plain" {
  attributes = {
    id     = "string computed"
    name   = "string optional"
    force  = "string optional"
    both   = "string optional computed"
    size   = "number optional"
    secret = "string optional sensitive"
    tags   = "map(string) optional"
    items  = "list(string) optional"
    bag    = "set(string) optional"
  }
}

resource "wrong_nested" {
  attributes = {
    id   = "string computed"
    name = "string optional"
  }
  nested "single" "one" {
    flags = "optional"
    attributes = {
      x = "string optional"
      b = "string optional computed"
      c = "string computed"
    }
  }
  nested "list" "many" {
    flags = "optional"
    attributes = {
      x = "string optional"
      b = "string optional computed"
      c = "string computed"
    }
  }
  nested "map" "keyed" {
    flags = "optional"
    attributes = {
      x = "string optional"
      b = "string optional computed"
      c = "string computed"
    }
  }
  nested "set" "bag" {
    flags = "optional"
    attributes = {
      x = "string optional"
      b = "string optional computed"
    }
  }
  nested "list" "made" {
    flags = "computed"
    attributes = {
      x = "string computed"
    }
  }
}

resource "wrong_block" {
  attributes = {
    id   = "string computed"
    name = "string optional"
  }
  block "single" "one" {
    attributes = {
      x = "string optional"
      c = "string computed"
    }
  }
  block "group" "group" {
    attributes = {
      x = "string optional"
      c = "string computed"
    }
  }
  block "list" "many" {
    attributes = {
      x = "string optional"
      c = "string computed"
    }
    block "list" "inner" {
      attributes = {
        y = "string optional"
      }
    }
  }
  block "map" "keyed" {
    attributes = {
      x = "string optional"
      c = "string computed"
    }
  }
  block "set" "bag" {
    attributes = {
      x = "string optional"
      c = "string computed"
    }
  }
}

resource "wrong_write" {
  attributes = {
    id      = "string computed"
    name    = "string optional"
    secret  = "string optional write_only"
    version = "string optional"
  }
  nested "single" "one" {
    flags = "optional"
    attributes = {
      x      = "string optional"
      secret = "string optional write_only"
    }
  }
  block "list" "many" {
    attributes = {
      x      = "string optional"
      secret = "string optional write_only"
    }
  }
}

resource "wrong_known" {
  attributes = {
    id    = "string computed"
    name  = "string optional"
    force = "string optional"
  }
  identity {
    attributes = {
      id     = "string required"
      region = "string optional"
    }
  }
}

resource "wrong_dynamic" {
  attributes = {
    id   = "string computed"
    name = "string optional"
    any  = "any optional"
    out  = "any computed"
  }
}

data "wrong_data" {
  attributes = {
    id   = "string computed"
    name = "string optional"
    both = "string optional computed"
  }
}

ephemeral "wrong_lease" {
  attributes = {
    name  = "string optional"
    both  = "string optional computed"
    token = "string computed"
  }
}

function "echo" {
  parameters = ["any value"]
  return     = "any"
}

function "upper" {
  parameters = ["string text"]
  return     = "string"
}

function "nullable" {
  parameters = ["string text null"]
  return     = "string"
}

function "patient" {
  parameters = ["string text unknown"]
  return     = "string"
}

function "glue" {
  parameters = ["string first", "string rest variadic"]
  return     = "string"
}
