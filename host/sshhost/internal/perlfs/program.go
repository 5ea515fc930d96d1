package perlfs

import "github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"

// startScript replaces the shell with Perl, which runs the program $1. If the host has no Perl, it
// exits before it is ready.
var startScript = shell.Fixed(`command -v perl >/dev/null 2>&1 || exit 127
px_ready
exec perl -e "$1"`)

// program is a Perl program that replies to requests until the end of its input. It prints one
// reply before the first request, to report that it is running: "digest" if it can calculate digests,
// which requires modules that small packages of Perl lack. Requests and replies are lists of
// strings, each preceded by its length; the list is preceded by its total length.
//
// The first string of a request is the function. The second is the time when a change expires,
// in seconds since the start of the program. The first string of a reply is the result:
//
//   - empty if the operation succeeded
//   - "exists" if an exclusive write found an object
//   - "changed" if the file to replace has changed, or the file to edit is not as required
//   - "absent" if there is no file to edit or to calculate the digest of
//   - "refused" if the other backend has to do the operation
//   - "left" instead of one of these failures if a temporary file could not be removed either
//
// The second string is the info of the file: mode with the file type, size, UID, GID and mtime. The
// third is the target of a link, the content or the digest; for an edit, the content is that of a
// file that is not as required.
//
// Except for digests, the program must work with Perl 5.8.8 and the modules of its smallest packages.
const program = `use strict;
use Errno qw(ENOENT EEXIST EINTR);
use Fcntl qw(:DEFAULT :flock :mode);
use IO::Handle;
binmode STDIN;
binmode STDOUT;
$| = 1;
umask 077;
$SIG{XFSZ} = 'IGNORE';

sub reply {
	my $list = pack '(N/a*)*', @_;
	print pack('N', length $list), $list or exit;
}

sub input {
	my ($length) = @_;
	my $data = '';
	while (length $data < $length) {
		read(STDIN, $data, $length - length $data, length $data) or exit;
	}
	return $data;
}

sub info { return join ' ', @_[2, 7, 4, 5, 9]; }

# late reports whether the request has expired: this is called right before each change of a
# name or an attribute that others see.
my $expires;
sub late { return time - $^T > $expires; }

sub same { return @_ == 26 && $_[0] == $_[13] && $_[1] == $_[14]; }

# opened opens the object at a path, if it is the one with this info: not a link to it.
sub opened {
	my ($path, @at) = @_;
	sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return;
	return same(@at, stat $file) ? $file : undef;
}

sub fill {
	my ($file, $uid, $gid, $mode, $sync, $content) = @_;
	my @is = stat $file or return;
	S_IMODE($is[2]) == 0600 or return;
	for (my $n = 0; $n < length $content;) {
		my $written = syswrite $file, $content, length($content) - $n, $n;
		if (defined $written) { $n += $written } elsif ($! != EINTR) { return }
	}
	$uid = $is[4] if $uid eq '';
	$gid = $is[5] if $gid eq '';
	if ($uid != $is[4] || $gid != $is[5]) { chown $uid, $gid, $file or return }
	if ($mode != 0600) { chmod $mode, $file or return }
	if ($sync) { $file->sync or return }
	@is = stat $file or return;
	return unless S_IMODE($is[2]) == $mode && $is[4] == $uid && $is[5] == $gid && $is[7] == length $content;
	close $file or return;
	return @is;
}

# lasting makes a change of a name in the directory of a path permanent. Errors are ignored: the
# change has happened, and some file systems cannot sync directories.
sub lasting {
	my ($directory) = $_[0] =~ m{^(.*)/}s;
	if (sysopen my $file, "$directory/.", O_RDONLY) { $file->sync }
}

sub discard {
	my ($temp, @result) = @_;
	return unlink($temp) || $! == ENOENT ? @result : 'left';
}

# other reports whether a file with this info has a size or mtime that differs from the required one.
sub other {
	my ($required, @at) = @_;
	my ($size, $mtime) = split ' ', $required or return;
	return ($mtime - $at[9]) % 4294967296 != 0 || $size >= 0 && $size != $at[7];
}

sub write_file {
	my ($path, $temp, $new, $uid, $gid, $mode, $sync, $required, $content) = @_;
	return 'refused' if late();
	if (my @at = lstat $path) {
		return 'exists' if $new;
		return 'refused' unless S_ISREG($at[2]);
		return 'changed' if other($required, @at);
		$mode = S_IMODE($at[2]) if $mode eq '';
		$uid = $at[4] if $uid eq '';
		$gid = $at[5] if $gid eq '';
	} elsif ($! != ENOENT) {
		return 'refused';
	}
	$mode = 0600 if $mode eq '';
	sysopen my $file, $temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600 or return 'refused';
	my @is = fill($file, $uid, $gid, $mode, $sync, $content) or return discard($temp, 'refused');
	return discard($temp, 'refused') if late();
	if ($new) {
		link $temp, $path or return discard($temp, $! == EEXIST ? 'exists' : 'refused');
		unlink $temp;
	} else {
		my @at = lstat $path;
		return discard($temp, 'refused') unless @at ? S_ISREG($at[2]) : $! == ENOENT;
		return discard($temp, 'changed') if @at && other($required, @at);
		rename $temp, $path or return discard($temp, 'refused');
	}
	lasting($path) if $sync;
	return ('', info(@is));
}

# replace_link keeps a link that has the target, unless $required is empty. Otherwise $required is an
# equals sign and the old target.
sub replace_link {
	my ($path, $temp, $target, $required) = @_;
	my @at = lstat $path;
	return 'refused' unless @at ? S_ISLNK($at[2]) : $! == ENOENT;
	if (@at && $required ne '') {
		my $old = readlink $path;
		return 'refused' unless defined $old;
		return ('', info(@at), $old) if $old eq $target;
		return 'refused' unless "=$old" eq $required;
	}
	return 'refused' if late();
	symlink $target, $temp or return 'refused';
	my @is = lstat $temp;
	return discard($temp, 'refused') unless @is && rename $temp, $path;
	lasting($path);
	return ('', info(@is), $target);
}

sub set_attributes {
	my ($path, $types, $uid, $gid, $mode) = @_;
	my @at = lstat $path or return 'refused';
	my $type = S_ISREG($at[2]) ? 'f' : S_ISDIR($at[2]) ? 'd' : 'other';
	return 'refused' if index($types, $type) < 0;
	my $file = opened($path, @at) or return 'refused';
	my $old = S_IMODE($at[2]);
	my $both = $mode eq '' ? $old : $old & $mode & 0777 | ($old | $mode) & 01000;
	$mode = $old if $mode eq '';
	$uid = $at[4] if $uid eq '';
	$gid = $at[5] if $gid eq '';
	return 'refused' if late();
	if ($uid != $at[4] || $gid != $at[5]) {
		if ($both != $old) { chmod $both, $file or return 'refused' }
		chown $uid, $gid, $file or return 'refused';
		chmod $mode, $file or return 'refused';
	} elsif ($mode != $old) {
		chmod $mode, $file or return 'refused';
	}
	my @is = stat $file or return 'refused';
	return 'refused' unless S_IMODE($is[2]) == $mode && $is[4] == $uid && $is[5] == $gid && same(@is, lstat $path);
	return ('', info(@is));
}

sub read_file {
	my ($path, $limit) = @_;
	my @at = lstat $path or return 'refused';
	return 'refused' unless S_ISREG($at[2]) && $at[7] <= $limit;
	my $file = opened($path, @at) or return 'refused';
	my $content = '';
	while (length $content <= $limit) {
		my $n = sysread $file, $content, 65536, length $content;
		if (!defined $n) { return 'refused' if $! != EINTR } elsif ($n == 0) { last }
	}
	my @is = stat $file or return 'refused';
	return 'refused' unless $is[7] == length $content;
	return ('', info(@is), $content);
}

# digest_file refuses a file that may have changed while it was read: the times of a file are only as exact
# as the clock ticks, so a file that has just changed counts, too. If $direct is set, it also refuses a path
# with a symbolic link above the file.
sub digest_file {
	my ($path, $limit, $direct) = @_;
	if ($direct) {
		(my $above = $path) =~ s{/[^/]*\z}{};
		for (; $above ne ''; $above =~ s{/[^/]*\z}{}) { return 'refused' if -l $above }
	}
	my @at = lstat $path or return $! == ENOENT ? 'absent' : 'refused';
	return 'refused' unless S_ISREG($at[2]) && $at[7] <= $limit;
	my $file = opened($path, @at) or return 'refused';
	my @before = Time::HiRes::stat($file);
	my $sum = eval { Digest::SHA->new(256)->addfile($file) } or return 'refused';
	my @is = stat $file or return 'refused';
	my @after = Time::HiRes::stat($file);
	return 'refused' unless "@before[2 .. 7, 9, 10]" eq "@after[2 .. 7, 9, 10]" && $after[10] < Time::HiRes::time() - 0.1;
	return ('', info(@is), $sum->digest);
}

# remove_only removes a regular file or a symbolic link, and no other object.
sub remove_only {
	my ($path, $type) = @_;
	my @at = lstat $path or return 'refused';
	return 'refused' unless $type eq 'f' ? S_ISREG($at[2]) : S_ISLNK($at[2]);
	return 'refused' if late();
	return unlink($path) ? '' : 'refused';
}

# has_acl reports whether a file has an access control list, which a new file would not have.
sub has_acl {
	open my $list, '-|', 'ls', '-ldn', $_[0] or return;
	my $line = <$list>;
	return defined $line && $line =~ /^.{10}\+/;
}

# part returns the offset of a part of a text, or of its end if the part is empty. The offset is
# negative if the part is not at the start of a line, the rest of the text has the mark, or the
# text has bytes of other line endings or of UTF-16.
sub part {
	my ($text, $part, $mark) = @_;
	my $at = rindex $text, $part;
	return -1 if $at < 0 || $text =~ /[\r\xfe\xff]/ || $at > 0 && substr($text, $at - 1, 1) ne "\n";
	substr($text, $at, length $part) = '';
	return index($text, $mark) < 0 ? $at : -1;
}

# edit_file keeps the attributes of the file that it has read, not those of a file that another user
# has put in its place since: that user must not get the content.
sub edit_file {
	my ($path, $temp, $limit, $uid, $gid, $mode, $was, $mark, $old, $new) = @_;
	my ($directory) = $path =~ m{^(.*)/}s;
	sysopen my $lock, "$directory/.", O_RDONLY or return 'refused';
	flock $lock, LOCK_EX | LOCK_NB or return 'refused';
	lstat $path or return $! == ENOENT ? 'absent' : 'refused';
	my ($failure, $info, $is) = read_file($path, $limit);
	return $failure if $failure ne '';
	my ($old_mode, undef, $old_uid, $old_gid) = split ' ', $info;
	$old_mode = S_IMODE($old_mode);
	my $whole = $is eq $old && "$old_mode $old_uid $old_gid" eq $was;
	my $from = $was eq '' ? part($is, $old, $mark) : $whole ? 0 : -1;
	return ('changed', $info, $is) if $from < 0;
	return 'refused' if has_acl($path);
	substr($is, $from, length $old) = $new;
	$mode = $old_mode if $mode eq '';
	$uid = $old_uid if $uid eq '';
	$gid = $old_gid if $gid eq '';
	return write_file($path, $temp, '', $uid, $gid, $mode, 1, '', $is);
}

my %functions = (edit => \&edit_file, write => \&write_file, link => \&replace_link, attributes => \&set_attributes, read => \&read_file,
	digest => \&digest_file, remove => \&remove_only);
reply(eval { require Digest::SHA; require Time::HiRes; Time::HiRes::stat('/') } ? 'digest' : '');
while (1) {
	(my $function, $expires, my @arguments) = unpack '(N/a*)*', input(unpack 'N', input(4));
	reply($functions{$function}->(@arguments));
}
`
