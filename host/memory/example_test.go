package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// The parent directories are created only if the write fails because they are missing, so
// existing ones cost nothing.
func Example() {
	ctx := context.Background()
	var h host.Host = memory.New(memory.Config{Name: "web1"})

	write := func() (host.FileInfo, error) {
		return h.WriteFile(ctx, "/etc/app/motd", strings.NewReader("hello\n"), host.WriteOptions{
			Attributes: host.Attributes{Mode: new(host.Mode(0o644))},
			Exclusive:  true,
		})
	}
	info, err := write()
	if errors.Is(err, fs.ErrNotExist) {
		made, err := host.MakeParents(ctx, h, "/etc/app/motd", host.Attributes{})
		fmt.Println(made, err)
		info, _ = write()
	}
	fmt.Println(info.Path, info.Type, info.Mode, info.Owner, info.Size)

	_, err = write()
	fmt.Println(err)
	// Output:
	// [/etc /etc/app] <nil>
	// /etc/app/motd regular file 0644 root 6
	// write web1:/etc/app/motd: file already exists
}
