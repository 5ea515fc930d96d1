# Everything that one does with this repository. CI calls `make test`.
# Tools are Go modules pinned under tools/ and built once into .cache/bin.

BIN      := .cache/bin
ENGINE   := $(BIN)/tofu
LINT     := $(BIN)/golangci-lint
RELEASER := $(BIN)/goreleaser

# How long make fuzz tries each target, and make test does.
FUZZTIME      ?= 30s
SHORTFUZZTIME ?= 2s

# How often make hostile asks the server what no client would, in all.
EXECS ?= 10000000

# Packages and flags of the test run: make race PKG=./guard/... ARGS='-run Plan -v'
PKG  ?= ./...
ARGS ?=

# One platform for each operating system, and one with 32 bits, of those in .goreleaser.yml.
CROSS ?= darwin_arm64 freebsd_amd64 linux_arm windows_amd64

export GOTOOLCHAIN := local
export CHECKPOINT_DISABLE := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:

.PHONY: help
help: ## Show this list
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  %-10s %s\n' "$$name" "$$text"; done

.PHONY: build
build: ## Build the provider into bin/
	go build -trimpath -o bin/ .

.PHONY: demo
demo: build engine ## Plan, apply, break, repair, import and destroy real files
	@go build -o $(BIN)/demo ./internal/cmd/demo
	@$(BIN)/demo

.PHONY: test
test: ## Check everything; this is what CI runs
	@scripts/check

.PHONY: race
race: engine ## Run the tests with the race detector; PKG= and ARGS= narrow it
	@POSIX_ACC=require scripts/gotest $(ARGS) $(PKG)

.PHONY: peers
peers: ## Run the suites of other providers on the engine in this process
	@scripts/peers $(ARGS)

.PHONY: both
both: engine ## Run acceptance suites on the engine in this process and on the real command, as CI does
	@ACCTEST_ENGINE=both $(MAKE) --no-print-directory peers race PKG="./acctest/... ./engine/scenarios ./resources ./examples/..."

.PHONY: lint
lint: $(LINT) ## Check format and style; make fix repairs what it can
	$(LINT) fmt --diff
	$(LINT) run --allow-serial-runners
	for module in bench internal/peers; do (cd $$module && $(CURDIR)/$(LINT) run --allow-serial-runners) || exit 1; done
	go vet ./...
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

.PHONY: hostile-short
hostile-short:
	@scripts/hostile -short

.PHONY: fuzz-short
fuzz-short:
	@FUZZTIME=$(SHORTFUZZTIME) scripts/fuzz

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
	  echo "compile for $$p"; \
	  GOOS=$${p%_*} GOARCH=$${p#*_} CGO_ENABLED=0 go build ./... || exit 1; \
	done

.PHONY: bench
bench: build engine ## Measure, and write docs/benchmarks.md
	cd bench && go run ./cmd/ratios -write ../docs/benchmarks.md
	tf=$$($(BIN)/findtf 2>/dev/null) && cd bench && export POSIX_TF=$$tf && \
	  go run ./cmd/applybench -write ../docs/benchmarks.md && go run ./cmd/accspeed -write ../docs/benchmarks.md

.PHONY: bench-ssh
bench-ssh: engine ## Measure hosts over SSH, and write their part of docs/benchmarks.md
	@. scripts/prepare
	cd bench && go run ./cmd/sshbench -write ../docs/benchmarks.md && go run ./cmd/treebench -write ../docs/benchmarks.md

.PHONY: bench-test
bench-test:
	cd bench && go vet ./... && go test ./...

.PHONY: snapshot
snapshot: $(RELEASER) ## Build the archives and checksums of every platform into dist/
	$(RELEASER) check
	$(RELEASER) release --snapshot --clean --skip=sign,publish

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
