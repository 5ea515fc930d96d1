package resources_test

import (
	"context"
	"maps"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// standIns are the texts of scripts that replace programs that would change the host or
// depend on it. The commands of the examples run on this host, with the scripts
// first in PATH; the scripts keep their data in $KEPT, a directory of the test.
var standIns = map[string]string{
	"update-alternatives": `case "$1" in
--set) echo "$3" >"$KEPT/$2";;
--auto) rm "$KEPT/$2";;
esac`,
	"readlink": `[ "$1" = /etc/alternatives/editor ] && cat "$KEPT/editor"`,
	"podman": `case "$2" in
create) cat >"$KEPT/$4.secret";;
exists) [ -e "$KEPT/$3.secret" ];;
rm) [ "$3" = --ignore ] && rm -f "$KEPT/$4.secret";;
esac`,
	"postmap":        `[ "$1" = /etc/postfix/virtual ]`,
	"import-records": `[ "$*" = "it's here" ]`,
	// A removed package whose configuration files are left is still in the database.
	"apt-get": `case "$1" in
install) echo "installed ${3#*=}" >"$KEPT/${3%%=*}.package";;
remove) sed -i.old 's/^installed/config-files/' "$KEPT/$3.package";;
esac`,
	"dpkg-query": `[ "$1" = --show ]
read -r status version <"$KEPT/$3.package" || exit 1
echo "${2#--showformat=}" | sed "s/\${db:Status-Status}/$status/; s/\${Version}/$version/" | tr -d '\n'`,
	"psql":      `[ "$PGHOST" = 127.0.0.1 ] && [ "$PGPORT" -gt 0 ]`,
	"nginx":     `[ "$*" = "-t -q -c /etc/nginx/.nginx.conf.posix-tmp" ]`,
	"systemctl": `echo "$@" >>"$KEPT/services"`,
	"vault": `case "$1 $2" in
"token create") echo t-1 | tee -a "$KEPT/tokens";;
"token revoke") [ "$3" = -self ] && sed -i.old "/^$VAULT_TOKEN$/d" "$KEPT/tokens";;
"policy write") grep -qx "$VAULT_TOKEN" "$KEPT/tokens";; # only with a valid token
esac`,
}

// exampleReachable is a host from which a connection to any address succeeds. Nothing receives what is sent.
type exampleReachable struct{ host.Host }

func (exampleReachable) DialHost(context.Context, string, string) (net.Conn, error) {
	near, _ := net.Pipe()
	return near, nil
}

// exampleCommands returns a function that runs the commands of one example. When the
// test ends, it fails if a token of Vault is not revoked.
func exampleCommands(t *testing.T) func(context.Context, host.Command) (host.Result, error) {
	t.Helper()
	dir := resourcetest.TempDir(t)
	kept := filepath.Join(dir, "kept")
	resourcetest.Must(t, os.Mkdir(kept, 0o700))
	for name, text := range standIns {
		resourcetest.Write(t, filepath.Join(dir, name), "#!/bin/sh\nset -eu\n"+text+"\n", 0o700)
	}
	here, err := local.New()
	resourcetest.Must(t, err)
	t.Cleanup(func() {
		if tokens, err := os.ReadFile(filepath.Join(kept, "tokens")); err == nil && len(tokens) > 0 {
			t.Errorf("tokens that were not revoked: %s", tokens)
		}
	})
	return func(ctx context.Context, cmd host.Command) (host.Result, error) {
		cmd.Env = maps.Clone(cmd.Env)
		if cmd.Env == nil {
			cmd.Env = map[string]string{}
		}
		cmd.Env["PATH"], cmd.Env["KEPT"] = dir+":"+os.Getenv("PATH"), kept
		if _, ok := standIns[cmd.Args[0]]; ok { // the lookup uses the PATH of this process
			cmd.Args = append([]string{filepath.Join(dir, cmd.Args[0])}, cmd.Args[1:]...)
		}
		return here.Run(ctx, cmd)
	}
}
