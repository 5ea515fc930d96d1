provider "every" {}
