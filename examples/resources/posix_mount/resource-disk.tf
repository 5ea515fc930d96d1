# A disk that is not always there: the line is managed, and nothing is mounted. For one that is
# mounted, leave mounted and noauto out.
resource "posix_mount" "backup" {
  path    = "/mnt/backup disk" # the space is written as \040 in /etc/fstab
  source  = "UUID=0a3407de-014b-458b-b5c1-848e92a327a3"
  type    = "ext4"
  options = ["noauto", "nofail", "noatime"]
  pass    = 2
  mounted = false
}
