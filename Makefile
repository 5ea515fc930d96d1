# Everything that one does with this repository. What CI runs is .ci/run, which calls
# the same targets. Tools are Go modules pinned under tools/ and built once into .cache/bin.

BIN      := .cache/bin
ENGINE   := $(BIN)/tofu
LINT     := $(BIN)/golangci-lint
RELEASER := $(BIN)/goreleaser

# How long make fuzz tries each target.
FUZZTIME ?= 30s

# How often make hostile asks the server what no client would, in all.
EXECS ?= 10000000

# Packages and flags of test-fast and race: make race PKG=./guard/... ARGS='-run Plan'
PKG  ?= ./...
ARGS ?=

# Packages in which goroutines meet: make ci tests them with the race detector, the slowest first.
RACE := ./host/... ./acctest/... ./engine/... ./guard/... ./runtime/... ./serve/... ./tfprotov6/... \
  ./resources/textedit ./resources/hosts ./resources/packages ./resources/lifecycle ./resources/tunnel

# One platform for each operating system, and one with 32 bits, of those in .goreleaser.yml.
CROSS ?= darwin_arm64 freebsd_amd64 linux_arm windows_amd64

export GOTOOLCHAIN := local
export CHECKPOINT_DISABLE := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:

.PHONY: help
help: ## Show this list
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  %-11s %s\n' "$$name" "$$text"; done

.PHONY: build
build: ## Build the provider into bin/
	go build -trimpath -o bin/ .

# The picture in README.md is generated from the recorded plan, which make ci compares with the demo's.
DRIFT := internal/cmd/demo/testdata/drift.txt
demo-recorded: DEMO_ARGS := -recorded $(DRIFT)
record-demo:   DEMO_ARGS := -recorded $(DRIFT) -update

.PHONY: demo demo-recorded record-demo
demo: ## Plan, apply, break, repair, import and destroy real files
demo demo-recorded record-demo: build engine
	@go build -o $(BIN)/demo ./internal/cmd/demo
	@$(BIN)/demo $(DEMO_ARGS)

# The three tiers. Each step is a target of its own.
TEST_STEPS := vet generated test-fast
CI_STEPS   := lint cross test-ci race-ci lives demo-recorded peers bench-test bench-small fuzz-small
ALL_STEPS  := lint vet generated cross snapshot test-all peers-all bench-test bench-small demo-recorded fuzz hostile

.PHONY: test
test: ## Fast checks of everything; under 5 minutes, without root or OpenTofu
	@scripts/steps test $(TEST_STEPS)

.PHONY: ci
ci: ## What has to hold before a change lands, after make test: 14 minutes
	@POSIX_ACC=require scripts/steps ci $(CI_STEPS)

.PHONY: check-all
check-all: ## Everything, every night and before a release: 70 minutes
	@POSIX_TESTS=all POSIX_ACC=require EXECS=1000000 scripts/steps check-all $(ALL_STEPS)

.PHONY: prepare
prepare: ## Install what make ci needs: sshd, sudo, rsync, busybox, debootstrap, shells, gcc
	@scripts/prepare

.PHONY: vet
vet:
	go vet ./...

.PHONY: test-fast
test-fast:
	@scripts/gotest -short $(ARGS) $(PKG)

.PHONY: test-ci
test-ci: engine
	@scripts/gotest $(ARGS) $$(go list ./... | grep -vxF "$$(go list $(RACE))")

.PHONY: race-ci
race-ci: engine
	@scripts/gotest -race $(ARGS) $(RACE)

# Resources change a real system, in a Debian root of their own. Here OpenTofu drives
# their whole life; what transcripts answer says no more there than in this process.
.PHONY: lives
lives: engine
	@ACCTEST_ENGINE=cli scripts/gotest -run Life -skip 'Dnf|Pacman|Apk|Systemd' $(ARGS) ./resources/...

# Acceptance suites run on both engines, which have to come to the same verdicts.
.PHONY: test-all
test-all: engine
	@ACCTEST_ENGINE=both scripts/gotest -race $(ARGS) $$(go list ./... | grep -v /resources/)
	@scripts/gotest -race $(ARGS) $$(go list ./resources/... | grep /resources/)
	@$(MAKE) --no-print-directory lives

.PHONY: race
race: engine ## Run tests with the race detector; PKG= and ARGS= narrow it
	@scripts/gotest -race $(ARGS) $(PKG)

.PHONY: peers
peers: ## Run the suites of other providers on the engine in this process
	@scripts/gotest -in internal/peers $(ARGS) ./...
	@scripts/gotest -in internal/peers/published $(ARGS) ./...

.PHONY: peers-all
peers-all: engine
	@ACCTEST_ENGINE=both $(MAKE) --no-print-directory peers ARGS=-race

.PHONY: testtime
testtime: ## Show what the tests of each package cost in CPU seconds; ARGS=-short
	@scripts/testtime $(ARGS)

.PHONY: lint
lint: $(LINT) ## Check format and style; make fix repairs what it can
	$(LINT) fmt --diff
	$(LINT) run --allow-serial-runners
	for module in bench internal/peers; do (cd $$module && $(CURDIR)/$(LINT) run --allow-serial-runners) || exit 1; done
	for module in . bench internal/peers internal/peers/published; do (cd $$module && go mod tidy -diff) || exit 1; done

.PHONY: fix
fix: $(LINT) ## Format, and repair what the linters can
	$(LINT) fmt
	$(LINT) run --fix

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME=30s
	@FUZZTIME=$(FUZZTIME) scripts/fuzz

.PHONY: hostile
hostile: ## Fuzz the server's entry points, EXECS=10000000 times in all
	@EXECS=$(EXECS) scripts/hostile

# One small target and a few executions: that the scripts work.
.PHONY: fuzz-small
fuzz-small:
	@FUZZTIME=200x scripts/fuzz ./addrs
	@scripts/hostile -short

# The pages of registries are rendered by tfplugindocs, which "go tool" builds once from tools/docs.
.PHONY: generate
generate: ## Generate code, texts and registry pages from the source
	go generate ./...

.PHONY: generated
generated:
	@scripts/generated

.PHONY: cross
cross:
	@for p in $(CROSS); do \
	  echo "vet for $$p"; \
	  GOOS=$${p%_*} GOARCH=$${p#*_} CGO_ENABLED=0 go vet ./... || exit 1; \
	done

.PHONY: bench
bench: build engine ## Measure, and write docs/benchmarks.md
	cd bench && go run ./cmd/ratios -write ../docs/benchmarks.md
	tf=$$($(BIN)/findtf 2>/dev/null) && cd bench && export POSIX_TF=$$tf && \
	  go run ./cmd/runbench files -write ../docs/benchmarks.md && \
	  go run ./cmd/runbench shapes -write ../docs/benchmarks.md && go run ./cmd/accspeed -write ../docs/benchmarks.md

.PHONY: bench-ssh
bench-ssh: engine ## Measure hosts over SSH, and write their part of docs/benchmarks.md
	@scripts/prepare ansible-playbook:ansible
	cd bench && go run ./cmd/runbench ssh -write ../docs/benchmarks.md && go run ./cmd/runbench tree -write ../docs/benchmarks.md

.PHONY: bench-test
bench-test:
	cd bench && go vet ./... && go test ./...

# Each benchmark with each contender once.
.PHONY: bench-small
bench-small: engine
	@scripts/benchsmall

.PHONY: snapshot
snapshot: $(RELEASER) ## Build the archives and checksums of every platform into dist/
	$(RELEASER) check
	$(RELEASER) release --snapshot --clean --skip=sign,publish

.PHONY: release
release: $(RELEASER) ## Build, sign and upload the release of the tag that is checked out
	$(RELEASER) release --clean

# Tests build the roots that they miss, too; CI keeps them between runs.
.PHONY: roots
roots: ## Build the Debian roots that tests of whole systems use, once
	go test -run '^$$' ./resources/... ./examples/...

.PHONY: engine
engine:
	@go build -o $(BIN)/findtf ./internal/cmd/findtf
	@$(BIN)/findtf >/dev/null || { [ $$? -eq 3 ] && $(MAKE) --no-print-directory tofu; }

.PHONY: tofu
tofu: $(ENGINE) ## Build the OpenTofu that the tests use, once

.PHONY: clean
clean: ## Remove what was built, the tools in .cache too
	rm -rf bin dist .cache

$(ENGINE): tools/go.mod
	@echo "building OpenTofu from its modules: about five minutes on two cores, this once"
	cd tools && go build -trimpath -ldflags "-X github.com/opentofu/opentofu/version.dev=no" -o ../$@ github.com/opentofu/opentofu/cmd/tofu

$(LINT): tools/lint/go.mod
	@echo "building the linters: about a minute, this once"
	cd tools/lint && go build -trimpath -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(BIN)/benchstat: tools/lint/go.mod
	cd tools/lint && go build -trimpath -o ../../$@ golang.org/x/perf/cmd/benchstat

$(RELEASER): tools/release/go.mod
	@echo "building goreleaser: about three minutes, this once"
	cd tools/release && go build -trimpath -o ../../$@ github.com/goreleaser/goreleaser/v2
