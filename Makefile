# memaudit: `make help` lists the targets.
SHELL      := /bin/bash
GO         ?= go
BIN        := bin/memaudit
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
REVISION   ?= $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
LDFLAGS    := -s -w -X main.version=$(VERSION) -X main.revision=$(REVISION)
TOOLS      := $(CURDIR)/.tools
LINT       := $(TOOLS)/golangci-lint
LINT_VERSION := v2.15.0
SUSHY_VERSION := 2.2.0
NFPM_VERSION := v2.45.2
CYCLONEDX_VERSION := v1.9.0
MKDOCS_MATERIAL_VERSION := 9.8.2
GREMLINS_VERSION := v0.6.0
VULN_VERSION := v1.1.4
ANSIBLE_VERSION := 2.19.14
ANSIBLE_OLDEST := 2.14.18
ANSIBLE_LINT_VERSION := 26.10.1
AXE_VERSION := 0.1.8
PROMETHEUS3_VERSION := v0.316.0
FUZZTIME   ?= 30s
SEEDS      ?= 5000
RIG        := ../shared/rig
GAPS       := '^TestCorpusTexts$$'
export CGO_ENABLED ?= 0
# One set of flags for all that is compiled here: a package that is asked for with others is
# compiled again. With -trimpath no folder is part of what is compiled, so that a kept build
# cache (go env GOCACHE) serves a checkout at any place.
export GOFLAGS := $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath

.DEFAULT_GOAL := help

# A target with ## is listed by make help, one with #- by make help ALL=1.
help: ## list the usual targets; ALL=1 lists all
	@grep -hE '^[a-z][a-z0-9-]*:.*#[#$(if $(ALL),-)] ' $(MAKEFILE_LIST) | sed -E 's/:.*#[#-] /\t/' | sort | expand -t 16

.PHONY: $(shell sed -nE 's/^([a-z][a-z0-9-]*):.*/\1/p' Makefile)

build: ## build bin/memaudit
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/memaudit

check: build ## build, and audit this machine
	@scripts/check-here $(BIN)

demo: build ## build, and audit an example server
	@$(BIN) demo || [ $$? = 1 ] # 1: the example has a finding

machines: ## write the example servers of the tests below DIR
	@$(GO) run ./internal/tools/machines "$(DIR)"

# One package more than there are processors: one that waits (for a child, for a deadline) leaves its processor to another.
# Without vet, which lint runs, and without debug information, which takes a third of linking.
test: ## unit tests; no network, no root; RACE=1: with the race detector (needs cc)
	$(if $(RACE),CGO_ENABLED=1 )GOGC=400 $(GO) test $(if $(RACE),-race )-p $$((1 + $$(nproc))) -vet=off -timeout 30m -ldflags=-w ./...

corpus: ## tests over the data of real machines in ../shared
	$(GO) test -count=1 -timeout 30m -tags corpus ./...

gaps: #- list what ../shared knows and the project has not taken in yet
	@$(GO) test -count=1 -tags corpus -v -run $(GAPS) ./internal/... | grep -o 'gap: .*' | sort -u

corpus-summary: #- rewrite testdata/corpus from ../shared; read the diff before committing
	$(GO) test -count=1 -tags corpus ./internal/cli -run '^TestCorpusTexts$$' -update-corpus

e2e: build $(TOOLS)/nfpm $(TOOLS)/cyclonedx-gomod ## tests of the built program: inputs, daemon, packages, units, a play
	$(GO) test -count=1 -timeout 30m -vet=off -tags e2e ./e2e

e2e-all: build $(TOOLS)/nfpm $(TOOLS)/cyclonedx-gomod #- these and those with browsers, Ansible, Slurm, Kubernetes, containers; RUN=REGEXP some
	$(GO) test -count=1 -timeout 60m -tags e2e,nightly ./e2e/... $(if $(RUN),-run '$(RUN)')

varied: #- SEEDS (default 5000) servers drawn at random, held to what is true of every machine
	MEMAUDIT_SEEDS=$(SEEDS) $(GO) test -count=1 -timeout 60m ./internal/cli -run '^TestVaried$$'

nightly: #- what .ci/run leaves to the night, with what it needs installed (root or sudo; hours)
	.ci/run nightly

lint: $(LINT) ## format, vet, linters, import rules
	$(LINT) run --allow-parallel-runners ./...
	$(GO) mod tidy -diff

sushy: $(TOOLS)/sushy/bin/sushy-static #- install the Redfish service that e2e audits (needs python3 with venv)

ansible-core: $(TOOLS)/ansible/bin/ansible-playbook #- install the newest ansible, which e2e runs (needs python3 with venv)

ansible: $(TOOLS)/ansible/bin/ansible-lint $(TOOLS)/ansible-oldest/bin/ansible-playbook #- install the newest ansible, its linter, and the oldest, which e2e-all runs (needs python3 3.11 with venv)

ansible-oldest: build $(TOOLS)/ansible-oldest/bin/ansible-playbook #- all tests of the roles with the oldest ansible-core they ask for, Debian 12's (minutes)
	MEMAUDIT_E2E_ANSIBLE=$(TOOLS)/ansible-oldest/bin $(GO) test -count=1 -timeout 30m -tags e2e,nightly ./e2e -run '^TestAnsible$$' -v

axe: $(TOOLS)/axe/installed #- install axe-core, with which e2e checks pages (needs python3 with venv)

home: #- give the project its address: HOME_REPO=github.com/ORG/NAME SECURITY_CONTACT=ADDRESS@DOMAIN
	@scripts/home '$(HOME_REPO)' '$(SECURITY_CONTACT)'

web: ## build bin/web, the page that audits in the browser, and bin/memaudit-web, which serves it
	$(GO) build -ldflags '-s -w' -o $(BIN)-web ./cmd/memaudit-web
	@scripts/web bin/web '-X main.version=$(VERSION) -X main.revision=$(REVISION)'

site: $(TOOLS)/site/bin/mkdocs #- the documentation as a site in .site/html (needs python3 with venv)
	rm -rf .site && mkdir -p .site/src
	git ls-files -z '*.md' docs deploy examples LICENSE go.mod | grep -zvE '^(testdata|internal|\.github)/' | xargs -0 cp --parents -t .site/src
	NO_MKDOCS_2_WARNING=1 $(TOOLS)/site/bin/mkdocs build --strict -q

images: build ## take the pictures of the README again (needs Chromium)
	@scripts/images $(BIN)

# Each kind is written even if the tests of another one fail.
GOLDEN := ./internal/audit ./internal/cli ./internal/report ./internal/report/html ./internal/report/metrics ./internal/report/text
golden: ## regenerate generated files and goldens; read the diff before committing
	$(GO) generate ./...
	@failed=0; \
	$(GO) test -count=1 $(GOLDEN) -update || failed=1; \
	$(MAKE) build && UPDATE=1 $(GO) test -count=1 -tags e2e ./e2e -run '^TestReportsInPages$$' || failed=1; \
	$(MAKE) unmapped || failed=1; \
	exit $$failed

mutate: ## change the values and conditions of the rules; a case must notice
	$(GO) test -count=1 -tags mutate ./internal/audit -run '^TestMutation$$' -v

mutate-go: $(TOOLS)/gremlins #- change the Go code of PKG=./internal/FOLDER; its tests must notice (minutes)
	GOFLAGS= $(TOOLS)/gremlins unleash $(PKG)

unmapped: #- rewrite the counts of BIOS attributes without a canonical setting; needs ../shared
	$(GO) test -count=1 -tags corpus ./internal/collect -run '^TestCorpusUnmapped$$' -update-unmapped

spellings: #- rewrite rules/settings/spellings.tsv, names and values as machines spell them, from ../shared
	$(GO) test -count=1 -tags corpus ./internal/model/settings -run '^TestSpellingsAreTheCorpus$$' -update-spellings

fuzz: ## every fuzz target for FUZZTIME (default 30s)
	@scripts/fuzz $(FUZZTIME)

measure-strict: #- the kernels of measure compared with C, within 5 %; needs a quiet machine and cc
	$(GO) test -count=1 -tags strict ./internal/measure/kernel -run '^TestBesideC$$' -v

vm: build #- real kernels on described machines, under QEMU; audited, measured, served (needs ../shared/rig; minutes)
	$(RIG)/setup
	RIG_CACHE=$(TOOLS)/rig-other RIG_KERNEL_PACKAGE=$$(scripts/other-kernel) $(RIG)/setup
	RIG_OTHER_CACHE=$(TOOLS)/rig-other $(GO) test -count=1 -timeout 30m -parallel 2 -tags e2e,nightly,rig ./e2e -run '^(TestVM|TestMeasureInRig)' -v

fuzz-whole: #- from arbitrary bytes to the report, for 20 s: what must be true for any machine
	@scripts/fuzz 20s FuzzWhole

compare: build #- memaudit compared with dmidecode and lscpu on the same input
	@scripts/compare $(BIN)

same: build #- compare OLD=BINARY with the present program over every input at hand (minutes); DIFFS=FOLDER keeps what differs
	@scripts/same $(OLD) $(BIN)

DIST ?= dist
dist: $(TOOLS)/nfpm $(TOOLS)/cyclonedx-gomod ## deb, rpm and tar.gz in DIST (default dist)
	@scripts/dist $(DIST)

differential: build #- decoder and topology compared with u-root, lscpu and lstopo on ../shared
	cd e2e/differential && $(GO) test -count=1 -v .

vuln: $(TOOLS)/govulncheck #- known vulnerabilities in what is linked; reports if the database is not reachable
	@scripts/vuln $(TOOLS)/govulncheck

prometheus3: build $(TOOLS)/prometheus3/promtool #- rules, situations and dashboards with Prometheus 3 in addition to the distribution's; builds it first (8 minutes of processor time)
	PATH=$(TOOLS)/prometheus3:$$PATH $(GO) test -count=1 -timeout 30m -tags e2e,nightly ./e2e -run '^(TestPrometheus|TestDashboardGrammar)' -v
	$(TOOLS)/prometheus3/promtool check config deploy/kubernetes/monitoring/scrape.example.yml

all: build lint test mutate corpus e2e ## all that must be green before a merge

$(LINT):
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

$(TOOLS)/gremlins:
	GOBIN=$(TOOLS) $(GO) install github.com/go-gremlins/gremlins/cmd/gremlins@$(GREMLINS_VERSION)

$(TOOLS)/site/bin/mkdocs:
	python3 -m venv $(TOOLS)/site
	$(TOOLS)/site/bin/pip install -q mkdocs-material==$(MKDOCS_MATERIAL_VERSION)

$(TOOLS)/nfpm:
	GOBIN=$(TOOLS) $(GO) install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM_VERSION)

$(TOOLS)/cyclonedx-gomod:
	GOBIN=$(TOOLS) $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION)

$(TOOLS)/prometheus3/promtool:
	GOBIN=$(TOOLS)/prometheus3 $(GO) install -tags remove_all_sd,enable_kubernetes_sd \
		github.com/prometheus/prometheus/cmd/prometheus@$(PROMETHEUS3_VERSION) github.com/prometheus/prometheus/cmd/promtool@$(PROMETHEUS3_VERSION)

$(TOOLS)/govulncheck:
	GOBIN=$(TOOLS) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(VULN_VERSION)

$(TOOLS)/sushy/bin/sushy-static:
	python3 -m venv $(TOOLS)/sushy
	$(TOOLS)/sushy/bin/pip install -q --no-deps sushy-tools==$(SUSHY_VERSION)

$(TOOLS)/ansible/bin/ansible-playbook:
	python3 -m venv $(TOOLS)/ansible
	$(TOOLS)/ansible/bin/pip install -q ansible-core==$(ANSIBLE_VERSION)

$(TOOLS)/ansible/bin/ansible-lint: $(TOOLS)/ansible/bin/ansible-playbook
	$(TOOLS)/ansible/bin/pip install -q ansible-core==$(ANSIBLE_VERSION) ansible-lint==$(ANSIBLE_LINT_VERSION)

$(TOOLS)/ansible-oldest/bin/ansible-playbook:
	python3 -m venv $(TOOLS)/ansible-oldest
	$(TOOLS)/ansible-oldest/bin/pip install -q ansible-core==$(ANSIBLE_OLDEST)

$(TOOLS)/axe/installed:
	python3 -m venv $(TOOLS)/axe
	$(TOOLS)/axe/bin/pip install -q --no-deps axe-playwright-python==$(AXE_VERSION)
	touch $@
