# The development tasks of this repository. CI runs .ci/run, which calls the same
# targets. Tools are Go modules pinned under tools/ and built once into .cache/bin.

BIN      := .cache/bin
ENGINE   := $(BIN)/tofu
LINT     := $(BIN)/golangci-lint
RELEASER := $(BIN)/goreleaser
VULN     := $(BIN)/govulncheck

# Duration of make fuzz for each target.
FUZZTIME ?= 15s

# Total number of executions of make hostile.
EXECS ?= 10000000

# Packages whose tests take longest. They start first, so that others run at the same time until the end.
SLOW := ./host/sshhost ./internal/faulttest ./resources/service ./acctest/conformance ./resources/packages

# Packages and flags of test-fast and race, for example: make race PKG=./guard/... ARGS='-run Plan'
PKG  ?= $(SLOW) ./...
ARGS ?=

# Packages with concurrent code, the slowest first. make ci tests them with the race detector, and make check-all all packages.
# resources/packages is missing, because its tests mostly wait for package managers.
RACE := ./host/sshhost ./host/... ./engine ./guard/... ./runtime/... ./serve/... ./tfprotov6/... \
  ./resources/textedit ./resources/hosts ./resources/lifecycle ./resources/tunnel

# One platform of each other operating system in .goreleaser.yml. make snapshot compiles for all platforms.
CROSS ?= darwin_arm64,freebsd_amd64,windows_amd64

export GOTOOLCHAIN := local
export CHECKPOINT_DISABLE := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:

.PHONY: help
help: ## Show this list
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  %-12s %s\n' "$$name" "$$text"; done

.PHONY: build
build: ## Build the provider into bin/
	go build -trimpath -o bin/ .

# The picture in README.md is generated from the recorded plan. make ci compares the plan with the demo.
DRIFT := internal/cmd/demo/testdata/drift.txt
# The demo also runs with a client in POSIX_TF that is too old for the tests.
demo demo-recorded record-demo: FINDTF := -old
demo-recorded: DEMO_ARGS := -recorded $(DRIFT)
record-demo:   DEMO_ARGS := -recorded $(DRIFT) -update

.PHONY: demo demo-recorded record-demo
demo: ## Plan, apply, edit, repair, import and destroy real files
demo demo-recorded record-demo: build engine
	@go build -o $(BIN)/demo ./internal/cmd/demo
	@$(BIN)/demo $(DEMO_ARGS)

# The steps of the three tiers. Each step is a target. CONTRIBUTING.md has the times of the tiers.
TEST_STEPS := vet generated test-fast
CI_STEPS   := lint cross test-ci race-ci lives demo-recorded peers bench-test bench-small fuzz-small
ALL_STEPS  := lint vet generated cross snapshot test-all test-all-resources lives matrix peers-all bench-test bench-small demo-recorded fuzz hostile

.PHONY: test
test: ## Fast checks of everything, without root or OpenTofu
	@scripts/steps test $(TEST_STEPS)

.PHONY: ci
ci: ## Checks that must pass before a merge, after make test
	@POSIX_ACC=require scripts/steps ci $(CI_STEPS)

.PHONY: check-all
check-all: ## All checks, each night and before a release; does not stop at the first failure
	@POSIX_TESTS=all POSIX_ACC=require EXECS=1000000 scripts/steps -k check-all $(ALL_STEPS)

.PHONY: prepare
prepare: ## Install the programs for make ci: sshd, sudo, rsync, busybox, debootstrap, shells, gcc
	@scripts/prepare

.PHONY: vet
vet:
	go vet ./...

.PHONY: test-fast
test-fast:
	@scripts/gotest -short $(ARGS) $(PKG)

.PHONY: test-ci
test-ci: engine
	@more=$$(scripts/morepackages $(SLOW) ./...) && scripts/gotest $(ARGS) $$(echo "$$more" | grep -vxF "$$(go list $(RACE))")

.PHONY: race-ci
race-ci: engine
	@scripts/gotest -race $(ARGS) $(RACE)

# Run the lifecycle tests of resources, which change a Debian root, with OpenTofu. Tests on transcripts and on a booted
# systemd are skipped, because they have the same results in the test process.
.PHONY: lives
lives: engine
	@files=$$(grep -rl 'func Test[A-Za-z]*Life' resources) && \
	  ACCTEST_ENGINE=cli scripts/gotest -run Life -skip 'Dnf|Pacman|Apk|Systemd' $(ARGS) $$(dirname $$files | sort -u | sed 's,^,./,')

# The clients of make matrix, as product-version.
CLIENTS ?= tofu-1.8.11 tofu-1.10.10 terraform-1.14.9 terraform-1.15.9 terraform-1.16.0

# Run what a client can change: the demo, the examples, the lifecycles, queries and actions.
.PHONY: matrix
matrix: ## Build released clients and run the demo, examples, lifecycles, queries and actions with each; CLIENTS=
	@for c in $(CLIENTS); do \
	  scripts/client $${c%%-*} $${c#*-} && echo "== $$c" && \
	  case $$c in *-1.[89].* | *-1.1[01].*) tests= ;; *) tests='lives matrix-tests' ;; esac && \
	  POSIX_ACC=require POSIX_TF=$(CURDIR)/$(BIN)/$$c $(MAKE) --no-print-directory demo $$tests || exit 1; \
	done

.PHONY: matrix-tests
matrix-tests:
	@ACCTEST_ENGINE=cli scripts/gotest $(ARGS) ./examples/... ./internal/demo
	@scripts/gotest -run Terraform $(ARGS) ./resources/actions ./internal/faulttest ./acctest
	@ACCTEST_ENGINE=both scripts/gotest -run Queries $(ARGS) ./resources/directorylist

# Tests that are skipped as root, which is the user in the containers of CI.
.PHONY: test-user
test-user: engine
	@POSIX_ACC=require scripts/gotest -run TestAccErrorsOfPermission $(ARGS) ./resources/lifecycle

# Acceptance suites run on both engines, which must have the same results.
.PHONY: test-all
test-all: engine
	@ACCTEST_ENGINE=both scripts/gotest -race -timeout 3h $(ARGS) $$(go list ./... | grep -v /resources/)

# The target lives runs the acceptance tests of these packages on the command line.
.PHONY: test-all-resources
test-all-resources: engine
	@scripts/gotest -race -timeout 3h $(ARGS) $$(go list ./resources/... | grep /resources/)

.PHONY: race
race: engine ## Run tests with the race detector; set PKG= and ARGS= to select tests
	@scripts/gotest -race $(ARGS) $(PKG)

.PHONY: peers
peers: ## Run the suites of other providers on the in-process engine
	@scripts/gotest -in internal/peers $(ARGS) ./...
	@scripts/gotest -in internal/peers/published $(ARGS) ./...
	@scripts/gotest -in examples/from-framework $(ARGS) ./...

.PHONY: peers-all
peers-all: engine
	@ACCTEST_ENGINE=both POSIX_TESTS=all $(MAKE) --no-print-directory peers ARGS=-race

.PHONY: testtime
testtime: ## Show the CPU seconds of the tests of each package; ARGS=-short
	@scripts/testtime $(ARGS)

.PHONY: lint
lint: $(LINT) ## Check format and style
	$(LINT) fmt --diff
	$(LINT) run --allow-serial-runners
	for module in bench internal/peers internal/peers/published examples/from-framework; do (cd $$module && $(CURDIR)/$(LINT) run --allow-serial-runners) || exit 1; done
	for module in . bench internal/peers internal/peers/published examples/from-framework; do (cd $$module && go mod tidy -diff) || exit 1; done

.PHONY: fix
fix: $(LINT) ## Format the source, and fix problems that the linters can fix
	$(LINT) fmt
	$(LINT) run --fix

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME=15s
	@FUZZTIME=$(FUZZTIME) scripts/fuzz

.PHONY: hostile
hostile: ## Fuzz the entry points of the server, EXECS=10000000 times in total
	@EXECS=$(EXECS) scripts/hostile

# The number of seeds of make fleets, and the first one.
SEEDS ?= 200
SEED  ?= 1

.PHONY: fleets
fleets: engine ## Interrupt the applies of SEEDS=200 fleets of 30 resources, from SEED=1
	POSIX_TESTS=all FLEET_SEEDS=$(SEEDS) FLEET_SEED=$(SEED) go test -count=1 -v -timeout 0 -run TestInterruptedFleet ./internal/fleettest

# A failed test prints the command that shrinks a configuration.
.PHONY: differential
differential: SEEDS = 2000
differential: engine ## Compare the engine with OpenTofu on SEEDS=2000 random configurations
	@ENGINE_SEED=0-$$(($(SEEDS) - 1)) POSIX_ACC=require scripts/gotest -timeout 3h -run TestDifferential ./engine/scenarios

# A few executions, to check that the scripts work.
.PHONY: fuzz-small
fuzz-small:
	@FUZZTIME=200x scripts/fuzz ./addrs
	@scripts/hostile -short

# tfplugindocs, which "go tool" builds from tools/docs, renders the registry pages.
.PHONY: generate
generate: ## Generate code, texts and registry pages from the source
	go generate ./...

.PHONY: generated
generated:
	@scripts/generated

.PHONY: cross
cross:
	go run ./internal/cmd/crosscheck $(CROSS) ./...

.PHONY: bench
bench: build engine ## Run the benchmarks, and write docs/benchmarks.md
	cd bench && go run ./cmd/ratios -write ../docs/benchmarks.md
	tf=$$($(BIN)/findtf 2>/dev/null) && cd bench && export POSIX_TF=$$tf && \
	  go run ./cmd/runbench files -write ../docs/benchmarks.md && \
	  go run ./cmd/runbench shapes -write ../docs/benchmarks.md && go run ./cmd/accspeed -write ../docs/benchmarks.md

.PHONY: bench-ssh
bench-ssh: engine ## Run the benchmarks over SSH, and write their part of docs/benchmarks.md
	@scripts/prepare ansible-playbook:ansible
	cd bench && for experiment in ssh tree large; do go run ./cmd/runbench $$experiment -write ../docs/benchmarks.md || exit 1; done

.PHONY: bench-test
bench-test:
	cd bench && go vet ./... && go test ./...

# Run each benchmark once with each compared tool.
.PHONY: bench-small
bench-small: engine
	@scripts/benchsmall

.PHONY: snapshot
snapshot: $(RELEASER) ## Build the archives and checksums of all platforms into dist/
	$(RELEASER) check
	$(RELEASER) release --snapshot --clean --skip=sign,publish

.PHONY: release
release: $(RELEASER) ## Build, sign and upload the release of the checked-out tag
	$(RELEASER) release --clean

# Tests build missing roots, too. CI builds and caches them in advance.
.PHONY: roots
roots: ## Build the Debian roots in which tests of resources run
	go test -run '^$$' ./resources/... ./examples/...

# With -W, make also replaces an OpenTofu that findtf rejects and that is newer than tools/go.mod.
.PHONY: engine
engine:
	@go build -o $(BIN)/findtf ./internal/cmd/findtf
	@$(BIN)/findtf $(FINDTF) >/dev/null || { [ $$? -eq 3 ] && $(MAKE) --no-print-directory -W tools/go.mod tofu; }

.PHONY: tofu
tofu: $(ENGINE) ## Build the OpenTofu that the tests use

.PHONY: vuln
vuln: $(VULN) ## Check the dependencies for known vulnerabilities that are reachable; needs the network
	$(VULN) ./...

.PHONY: clean
clean: ## Remove build results, including the tools in .cache
	rm -rf bin dist .cache

$(ENGINE): tools/go.mod
	@echo "building OpenTofu from its modules (only once, about five minutes on two cores)"
	cd tools && go build -trimpath -ldflags "-X github.com/opentofu/opentofu/version.dev=no" -o ../$@ github.com/opentofu/opentofu/cmd/tofu

$(LINT): tools/lint/go.mod
	@echo "building the linters (only once, about a minute)"
	cd tools/lint && go build -trimpath -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(BIN)/benchstat: tools/lint/go.mod
	cd tools/lint && go build -trimpath -o ../../$@ golang.org/x/perf/cmd/benchstat

$(VULN): tools/vuln/go.mod
	cd tools/vuln && go build -trimpath -o ../../$@ golang.org/x/vuln/cmd/govulncheck

$(RELEASER): tools/release/go.mod
	@echo "building goreleaser (only once, about three minutes)"
	cd tools/release && go build -trimpath -o ../../$@ github.com/goreleaser/goreleaser/v2
