# Rail Companion. `make demo` is the quickest look; `make test` is what CI runs.
PYTHON ?= python3
BIN = .venv/bin
READY = .venv/.ready
PHOTOS ?= ../shared/photos

.PHONY: setup run demo test check bench screenshots frames reliability phone onefile android-versions clean

setup: $(READY)

$(READY): pyproject.toml tools/setup $(wildcard companion/app/locale/*/LC_MESSAGES/*.po)
	@PYTHON=$(PYTHON) sh tools/setup
	@touch $@

run: setup
	@$(BIN)/companion

demo: setup
	@$(BIN)/companion demo

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

test: check
	@sh tools/suite $(BIN)/python
	@sh tools/android_versions

screenshots: setup
	@xvfb-run -a -s "-screen 0 1600x1200x24" $(BIN)/python tools/screenshots.py

frames: setup
	@xvfb-run -a -s "-screen 0 1600x1200x24" $(BIN)/python -m bench.frames

bench: setup
	@$(BIN)/python -m bench.scoring
	@test ! -d $(PHOTOS) || $(BIN)/companion bench $(PHOTOS)

reliability: setup
	@$(BIN)/python -m bench.fuzz pictures
	@$(BIN)/python -m bench.fuzz files
	@$(BIN)/python -m bench.kills
	@$(BIN)/python -m bench.longrun
	@xvfb-run -a -s "-screen 0 1600x1200x24" $(BIN)/python -m bench.evening

phone: setup
	@$(BIN)/python -m bench.phone

onefile: setup
	@sh tools/onefile

android-versions: setup
	@sh tools/android_versions

clean:
	rm -rf .venv .venv-android .venv-onefile .mypy_cache .ruff_cache .pytest_cache .hypothesis
