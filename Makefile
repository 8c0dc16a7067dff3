# SPDX-License-Identifier: GPL-2.0-or-later
# A thin front to meson: `make run` and `make test` need git and make, and no other step.
#
#   make           the same as make build
#   make deps      install what building, running and testing need (Debian; root or sudo)
#   make deps-foreign  and what guests of other architectures need; then make build
#   make build     leave the program at build/ktoll
#   make run       what Debian's preemption models cost; ARGS='-w getppid,pipe' adds options
#   make test      everything in a quarter of an hour; ends with `N passed, N failed, N skipped`
#   make test-all  and what takes longer: sanitizers, fuzzing, the slow boots
#   make test-kill kill -9 at 100 moments of measuring, and at 1,000 of writing
#   make bench     what measuring costs
#   make install   to PREFIX, below DESTDIR
#   make clean     remove what was built

SHELL = /bin/sh
PREFIX = /usr/local
# Output of benchmarks that others published, for some tests; not part of the project.
export KTOLL_TEST_CASES ?= $(wildcard $(CURDIR)/../shared/cases)
SETUP = --wrap-mode=nodownload --prefix=$(PREFIX)

# What a Debian 12 with nothing but git and make lacks. QEMU brings its firmware, gcc its
# binutils, meson its Python.
PACKAGES = gcc libc6-dev meson ninja-build pkgconf \
	libarchive-dev libdw-dev libelf-dev libfyaml-dev libjansson-dev libmd-dev libsmartcols-dev \
	libsqlite3-dev libsystemd-dev libzydis-dev r-mathlib \
	libcmocka-dev scdoc qemu-system-x86 \
	make flex bison bc patch checkpolicy
# And for guests and kernels of other architectures.
PACKAGES_FOREIGN = qemu-system-ppc qemu-system-arm qemu-system-misc \
	gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross gcc-aarch64-linux-gnu \
	libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
# And for test-all.
PACKAGES_ALL = $(PACKAGES) $(PACKAGES_FOREIGN) clang libclang-rt-dev

.PHONY: build deps deps-foreign deps-all run test test-all test-kill bench install clean

build: deps
	@test -f build/build.ninja || meson setup $(SETUP) build
	@ninja -C build

deps:
	@tools/install-packages $(PACKAGES)

deps-foreign:
	@tools/install-packages $(PACKAGES_FOREIGN)
	@test ! -f build/build.ninja || meson setup --reconfigure build >/dev/null

deps-all:
	@tools/install-packages $(PACKAGES_ALL)
	@test ! -f build/build.ninja || meson setup --reconfigure build >/dev/null

run: build
	build/ktoll compare -n none=debian:6.1,+preempt=none \
		-n voluntary=debian:6.1,+preempt=voluntary \
		-n full=debian:6.1,+preempt=full -n rt=debian:6.1-rt \
		$(ARGS) none voluntary full rt

test: build
	@tools/run-tests build unit lint cli boot

test-all: deps-all build
	@test -f build-asan/build.ninja || \
		meson setup $(SETUP) -Db_sanitize=address,undefined build-asan
	@test -f build-fuzz/build.ninja || \
		CC=clang meson setup $(SETUP) -Dfuzz=true -Dwerror=false \
		-Db_sanitize=address,undefined -Db_lundef=false build-fuzz
	@ninja -C build-asan
	@ninja -C build-fuzz
	@tools/run-tests build unit lint cli boot slow -- build-asan unit -- build-fuzz fuzz

# A finished boot is never lost: KILLS of ktoll as it measures, AT_COMMIT of them as it writes; and of a writer alone.
KILLS = 100
AT_COMMIT = 20
test-kill: build
	@KTOLL_TEST_KILLS=1000 build/tests/test-record
	@tests/kill/kill.py build/ktoll build/test-cache $(KILLS) $(AT_COMMIT)

bench: build
	@meson test -C build --no-rebuild --benchmark --verbose

install: build
	@meson configure -Dprefix=$(PREFIX) build
	@ninja -C build
	@meson install -C build --no-rebuild

clean:
	rm -rf build build-asan build-fuzz
