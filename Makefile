# Two commands matter: `make run` shows Cairn at work on this machine, `make test` tests it. Each installs
# what it needs and builds first. `make help` lists the rest.

SHELL := /bin/bash
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=

toolchain := . .ci/toolchain
# Nothing in the programs says where they were built. What differs between two builds all the same, .ci/same-bytes
# takes from those that are packed.
release := -c release --static-swift-stdlib --disable-local-rpath \
  -Xcc -ffile-prefix-map=$(CURDIR)=. -Xlinker -z -Xlinker now
programs := cairn cairnd cairn-watch
# Where the sources of Swift packages are. In the tarball of `make dist` they find each other side by side,
# which swift-nio wants to be told.
ifneq ($(wildcard packages),)
export SWIFTCI_USE_LOCAL_DEPS = 1
endif
packages = $(if $(wildcard packages),packages,.build/checkouts)/*
sources := find Package.swift Sources Tests -name '*.swift' ! -name '*.pb.swift' -print0

bindir = $(DESTDIR)$(PREFIX)/bin
mandir = $(DESTDIR)$(PREFIX)/share/man
docdir = $(DESTDIR)$(PREFIX)/share/doc/cairn
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd/user
sysctldir = $(DESTDIR)$(PREFIX)/lib/sysctl.d
sharedir = $(DESTDIR)$(PREFIX)/share
# What a desktop finds: what it is called here, and where it goes below share.
desktop := cairn.desktop:applications/cairn.desktop \
  cairn-link.desktop:applications/cairn-link.desktop \
  cairn.metainfo.xml:metainfo/cairn.metainfo.xml \
  cairn.py:nautilus-python/extensions/cairn.py cairn.py:nemo-python/extensions/cairn.py \
  cairn.py:caja-python/extensions/cairn.py cairn-dolphin.desktop:kio/servicemenus/cairn.desktop
icon = $(sharedir)/icons/hicolor/scalable/apps/cairn.svg
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
fishdir = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# Debian has another one for what its packages install.
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
zshdir = $(DESTDIR)$(ZSHDIR)

.PHONY: help setup run test acceptance bench bench-program bench-million bench-peers \
  bench-choices fuzz crash soak simulate powercut faults workloads day browser desktop bad-line engines figures model build format-test attack lint format \
  dist deb deb-test install uninstall clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

setup: ## install the Debian packages that are missing (root only if one is)
	@.ci/setup

run: build ## play two people who share a folder, with a real tree
	@examples/two-people.sh

# What failed is said again at the end, where people and machines look first.
test: setup ## build and run every test
	@$(toolchain) && mkdir -p .build && set -o pipefail && \
	  if ! swift test --disable-xctest 2>&1 | tee .build/test.log; then \
	    echo "What failed, from .build/test.log:"; \
	    grep -E -A 6 'recorded an issue|error:' .build/test.log | head -n 200; exit 1; \
	  fi

# ROWS="39 K6" plays some of them, STORE=s3 with containers in a bucket; Tests/Acceptance/run says what else can
# be set.
acceptance: build ## play each row of the model's checklist with the built programs
	@Tests/Acceptance/run

# The program that measures, and where.
measure = .build/release/cairn-bench --binaries $(CURDIR)/.build/release $(if $(AT),--at $(AT))

bench-program: build
	@$(toolchain) && swift build $(release) --product cairn-bench

# CASES="drop tree" measures some of them, AT=DIR works on another file system than that of /tmp;
# `.build/release/cairn-bench --help` lists the cases and what else can be set.
bench: bench-program ## measure Cairn, and its parts, against bare system equivalents, in one run
	@$(measure) --json .build/bench.json $(if $(TREE),--tree $(TREE)) $(CASES)

# A tenth of FILES is measured first, and what FILES take is compared with ten times that.
bench-million: bench-program ## the same with FILES=1000000, and whether the cost grows as they do
	@$(measure) --json .build/bench-million.json --files $(or $(FILES),1000000) million

# PEERS="syncthing restic" measures some of them. What isn't installed is named, and left out.
bench-peers: bench-program ## what else mirrors folders: Syncthing, lsyncd, Unison, rclone, restic
	@$(measure) --json .build/bench-peers.json $(if $(TREE),--tree $(TREE)) \
	  $(foreach peer,$(PEERS),--peer $(peer)) peers

# ROWS="cipher hash compression cuts deltas packs" measures some of them, PYTHON=/a/venv/bin/python3 with what that has.
# Installs nothing; what is missing is named, and left out where that is possible.
bench-choices: ## measure what the container's format is made of, against what else it might be
	@$(or $(PYTHON),python3) -B Tests/Bench/Choices/choices.py $(ROWS)

# SEEDS=n stories from SEED=first on; RECORD=1 adds the counts to Tests/Simulator/CAMPAIGN.md.
simulate: setup ## play whole stories of several people and their faults, each from one seed
	@$(toolchain) && swift build $(release) --product cairn-simulate
	@PROGRAM=$(CURDIR)/.build/release/cairn-simulate Tests/Simulator/run

# BOUNDS=quick takes some seconds, BOUNDS=large an hour; Tests/Model/README.md has what is modelled.
model: ## explore the models of the log's rules, and find each rule that is wrong on purpose
	@nice Tests/Model/run $(if $(BOUNDS),--$(BOUNDS))

# SEED=n draws others; LOGS=n damaged logs. `make test` plays 500 commits and 20 logs.
format-test: setup ## compare Cairn with a second implementation of its format: N=10000 random commits
	@Tests/Format/run test
	@$(toolchain) && FORMAT_COMMITS=$(or $(N),10000) FORMAT_LOGS=$(or $(LOGS),100) \
	  FORMAT_SEED=$(or $(SEED),1) swift test --disable-xctest --filter FormatTests

# NAMES="reader_writes planted_ends" plays some of them; `make test` plays the quick ones, and
# Tests/Attacks/run says what else there is.
attack: build ## play attacks on the promises of cairn-security(7) against the built programs
	@Tests/Attacks/run $(NAMES)
	@$(if $(NAMES),,Tests/Attacks/run --self-test)

# TARGET="commit link" fuzzes some of them, SECONDS=60 each for that long.
fuzz: setup ## fuzz each decoder of bytes from others; Tests/Fuzz/run says how
	@$(toolchain) && SECONDS_EACH=$(or $(SECONDS),60) TARGET="$(TARGET)" Tests/Fuzz/run

# ACTS="create accept" SIDES=receiving FAULTS="kill EIO" CALLS=names play some of it, FROM, TO and STEP some of the calls;
# CRASH_KEEP=DIR keeps what a violation left, CAIRN_TEST_ROOT=DIR plays on another file system than that of /tmp.
crash: setup ## end a daemon at each of its system calls, let each fail, and check what becomes of it
	@$(toolchain) && CRASH_ACTS="$${ACTS:-all}" CRASH_SIDES="$$SIDES" CRASH_FAULTS="$$FAULTS" CRASH_CALLS="$$CALLS" \
	  CRASH_FROM="$$FROM" CRASH_TO="$$TO" CRASH_STEP="$$STEP" \
	  swift test --disable-xctest --filter CrashPointTests

# SEED=n begins with another script, STEPS=n makes them longer or shorter; a failing one says how to play it again.
soak: setup ## three people in each other's way, daemons that die and stand still, for MINUTES=n
	@$(toolchain) && SOAK_MINUTES="$${MINUTES:-10}" SOAK_SEED="$${SEED:-1}" SOAK_STEPS="$${STEPS:-150}" \
	  swift test --disable-xctest --filter "SoakTests|VisibilityTests"

# COMMITS=n over the line whose trouble comes from SEED=n; `make test` plays 200.
bad-line: setup ## four people write through a proxy that loses, cuts and repeats: COMMITS=5000
	@$(toolchain) && BAD_LINE_COMMITS=$(or $(COMMITS),5000) BAD_LINE_SEED=$(or $(SEED),1) \
	  swift test --disable-xctest --filter FaultyBucketTests

# NAMES="ceph sshfs" tries some. Root only; what isn't installed is named and left out. VENV=DIR has those from PyPI.
engines: setup ## try the stores on Ceph, sshfs, Gluster and engines from PyPI, on the loopback interface
	@$(toolchain) && swift build --build-tests && Tests/Engines/run $(NAMES)

# NAMES="drops tree" measures some. Root only, with Debian's Ceph and sshfs; SAMPLES=n of each drop.
figures: build ## measure drops and trees through Ceph and sshfs on lines that delay, against bare equivalents
	@Tests/Engines/figures $(NAMES) --samples $(or $(SAMPLES),30)

# NAMES="git tar" plays some; what isn't installed is named and left out. `make test` plays half a minute of it.
workloads: build ## git, SQLite, editors, tar, rsync and make in a folder that two people share
	@Tests/Torture/run workloads $(NAMES)

# FILES=n is how large the checkout is.
day: build ## a day of git, builds and packages in one folder, and which deletions wait for a word
	@Tests/Torture/run day --files $(or $(FILES),30000)

# Root only: each world is in an image that is mounted for it. KINDS=ext4,xfs, PLACES=together,folder,home,container.
powercut: build ## cut the power of real file systems while two people work: ROUNDS=n
	@Tests/Torture/run powercut --rounds $(or $(ROUNDS),40) --seed $(or $(SEED),1) \
	  $(if $(KINDS),--kinds $(KINDS)) $(if $(PLACES),--places $(PLACES))

# By a FUSE file system (python3-pyfuse3, fuse3) below a folder or the container. PLACES=ana,bob,container.
faults: build ## let calls fail, lie and come late below a folder, a home and the container while two people work: ROUNDS=n
	@Tests/Torture/run faults --rounds $(or $(ROUNDS),45) --seed $(or $(SEED),1) $(if $(PLACES),--places $(PLACES))

# NAMES="two_people phone" plays some; Tests/Browser/run says what it needs, and what else can be set.
browser: build ## play the console in a real browser (Debian's chromium): two people, hostile names, axe, the keyboard
	@Tests/Browser/run $(NAMES)

# NAMES="nautilus caja" plays some; Tests/Desktop/run says what it needs.
desktop: build ## open a shared folder in real file managers, Nautilus, Nemo, Caja and Dolphin, under Xvfb
	@Tests/Desktop/run $(NAMES)

build: setup ## build the three programs into .build/release
	@$(toolchain) && for program in $(programs); do \
	  swift build $(release) --product $$program || exit 1; \
	done

lint: ## check the style of every source file
	@$(toolchain) && $(sources) | xargs -0 swift format lint --strict --parallel

format: ## rewrite every source file in that style
	@$(toolchain) && $(sources) | xargs -0 swift format --in-place --parallel

dist: ## make one tarball of the last commit, from which Cairn is built without a network
	@.ci/dist

deb: build ## make a Debian package of what was built: .build/deb/*.deb
	@.ci/package

deb-test: ## install that package in a fresh Debian, use it there as an ordinary user, remove it; root only
	@Tests/Package/run

install: ## copy programs, man pages and units below PREFIX (run `make build` before)
	@for program in $(programs); do \
	  test -x .build/release/$$program || { \
	    echo "There is no .build/release/$$program: run \`make build\` (not as root), then this again." >&2; \
	    exit 1; }; \
	done
	install -d $(bindir) $(unitdir) $(sysctldir) $(docdir)/examples $(docdir)/notices
	install -m 755 $(programs:%=.build/release/%) $(bindir)
	install -d $(bashdir) $(zshdir) $(fishdir)
	.build/release/cairn --generate-completion-script bash | sed 1d > $(bashdir)/cairn
	.build/release/cairn --generate-completion-script zsh > $(zshdir)/_cairn
	.build/release/cairn --generate-completion-script fish > $(fishdir)/cairn.fish
	chmod 644 $(bashdir)/cairn $(zshdir)/_cairn $(fishdir)/cairn.fish
	for page in man/*.[1-8]; do \
	  install -D -m 644 "$$page" "$(mandir)/man$${page##*.}/$${page##*/}" || exit 1; \
	done
	.ci/pages | while read -r name page; do ln -sf $$page $(mandir)/man1/$$name || exit 1; done
	install -m 644 LICENSE NOTICE README.md CHANGELOG.md $(docdir)
	install -m 644 Sources/cairn-watch/COPYING $(docdir)/COPYING.cairn-watch
	for package in $(packages); do \
	  test ! -f $$package/NOTICE.txt || \
	    install -m 644 $$package/NOTICE.txt $(docdir)/notices/$${package##*/}.txt || exit 1; \
	done
	install -m 644 examples/README.md $(docdir)/examples
	install -m 755 examples/*.sh $(docdir)/examples
	install -m 644 examples/systemd/no-network.conf $(docdir)/examples
	sed 's|^ExecStart=.*|ExecStart=$(PREFIX)/bin/cairnd|' examples/systemd/cairnd.service \
	  > $(unitdir)/cairnd.service
	chmod 644 $(unitdir)/cairnd.service
	install -m 644 examples/sysctl/50-cairn.conf $(sysctldir)
	$(foreach file,$(desktop),install -D -m 644 \
	  $(subst :, $(sharedir)/,examples/desktop/$(file)) &&) true
	sed -i 's|^Exec=cairn |Exec=$(PREFIX)/bin/cairn |' $(sharedir)/applications/cairn*.desktop
	install -D -m 644 Sources/CairnConsole/Page/icon.svg $(icon)

uninstall: ## remove what install copied
	rm -f $(programs:%=$(bindir)/%) $(unitdir)/cairnd.service $(sysctldir)/50-cairn.conf \
	  $(icon) $(bashdir)/cairn $(zshdir)/_cairn $(fishdir)/cairn.fish
	for file in $(desktop); do rm -f "$(sharedir)/$${file#*:}"; done
	for page in man/*.[1-8]; do rm -f "$(mandir)/man$${page##*.}/$${page##*/}"; done
	.ci/pages | while read -r name page; do rm -f $(mandir)/man1/$$name; done
	rm -rf $(docdir)

clean: ## remove what was built
	rm -rf .build
