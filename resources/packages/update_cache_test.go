//go:build unix

package packages_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// ageingRepo is a repository of apt that changes after the index was downloaded.
const ageingRepo = "/srv/ageing"

func ageing(t *testing.T, before, after []deb) {
	t.Helper()
	useApt(t)
	publish := func(all []deb) {
		if err := os.RemoveAll(ageingRepo); err != nil {
			t.Fatal(err)
		}
		if err := makeApt(ageingRepo, all); err != nil {
			t.Fatal(err)
		}
	}
	publish(before)
	mustShell(t, `echo "deb [trusted=yes] file:$1 ./" > /etc/apt/sources.list.d/ageing.list; apt-get -q update`, ageingRepo)
	publish(after)
	t.Cleanup(func() { mustShell(t, "rm /etc/apt/sources.list.d/ageing.list; apt-get -q update") })
}

// TestNewIndex checks that the index is updated if it does not have a package or a version, and not if
// update_cache is false.
func TestNewIndex(t *testing.T) {
	roottest.Require(t)
	ageing(t, []deb{{name: "young", version: "1.0"}}, []deb{{name: "young", version: "1.0"}, {name: "young", version: "2.0"}, {name: "newborn", version: "1.0"}})
	config := packageBlock("newborn", "") + packageBlock("young", `version = "2.0"`)
	resourcetest.Fails(t, resourcetest.Provider(types), packageBlock("newborn", "update_cache = false"), false, "has no package newborn")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{{Config: config, Check: func(*terraform.State) error {
			return prints("1.0\n2.0", "cat /opt/deb/newborn/version /opt/deb/young/version")()
		}}},
	})
}

// TestOutdatedIndex checks that the index is updated if it lists files that no longer
// exist.
func TestOutdatedIndex(t *testing.T) {
	roottest.Require(t)
	ageing(t, []deb{{name: "young", version: "1.0"}}, []deb{{name: "young", version: "1.1"}})
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{{Config: packageBlock("young", ""), Check: func(*terraform.State) error {
			return prints("1.1", "cat /opt/deb/young/version")()
		}}},
	})
}

// TestWaitsForLock checks that the installation of a package that is not in the index waits for other processes
// that use apt.
func TestWaitsForLock(t *testing.T) {
	roottest.Require(t)
	for _, path := range []string{dpkgLock, listsLock, archivesLock} {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			ageing(t, []deb{{name: "young", version: "1.0"}}, []deb{{name: "newborn", version: "1.0"}})
			lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o640)
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.FcntlFlock(lock.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
				t.Fatal(err)
			}
			ended := make(chan time.Time, 1)
			time.AfterFunc(3*time.Second, func() {
				ended <- time.Now()
				_ = lock.Close() // closing it releases the lock
			})
			var done time.Time
			acctest.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
				Steps: []resource.TestStep{{Config: packageBlock("newborn", ""), Check: func(*terraform.State) error {
					done = time.Now()
					return nil
				}}},
			})
			if other := <-ended; done.Before(other) {
				t.Error("the package was installed while another process held the lock")
			}
		})
	}
}

// TestNoNewIndex checks that packages that the old index has are installed if the index
// cannot be updated.
func TestNoNewIndex(t *testing.T) {
	roottest.Require(t)
	useApt(t)
	mustShell(t, "apt-get -q -y install curl; apt-mark hold curl; echo 'deb [trusted=yes] file:/nowhere ./' > /etc/apt/sources.list.d/nowhere.list")
	t.Cleanup(func() {
		mustShell(t, "rm /etc/apt/sources.list.d/nowhere.list; apt-mark unhold curl; apt-get -q -y purge curl bulk-4")
	})
	held := packageBlock("curl", `hold = true`)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{Config: held},
			{
				Config:      packageBlock("curl", "hold = true\nversion = \"9.0\"") + packageBlock("bulk-4", ""),
				ExpectError: resourcetest.WrappedText("the package index of apt on host local does not have curl in version 9.0, and cannot be updated"),
			},
			{Config: held + packageBlock("bulk-4", ""), PlanOnly: true},
		},
	})
}
