"""Tests mirror the package: where each module of ``metamf/`` has its tests."""

import re
from pathlib import PurePosixPath

from source_files import inner_imports, module_of, public_names

#: Modules without behaviour of their own, or met by a page or a command only: the file of tests that exercises each.
TESTED_ELSEWHERE = {
    "metamf/version.py": "tests/test_package.py",
    "metamf/baselines/ours.py": "tests/baselines/test_spec.py",
    "metamf/baselines/registry.py": "tests/baselines/test_shared_suite.py",
    "metamf/cli/choices.py": "tests/cli/test_console.py",
    "metamf/cli/options/app.py": "tests/cli/test_parser.py",
    "metamf/cli/options/benchmark.py": "tests/cli/test_benchmark.py",
    "metamf/cli/options/download.py": "tests/cli/test_download.py",
    "metamf/cli/options/evaluate.py": "tests/cli/test_evaluate.py",
    "metamf/cli/options/impute.py": "tests/cli/test_impute.py",
    "metamf/cli/options/train.py": "tests/cli/test_train.py",
    "metamf/figures/style.py": "tests/figures/test_maps.py",
    "metamf/tables/write.py": "tests/filling/test_fill_in.py",
    "metamf/webapp/compare/contenders.py": "tests/pages/test_compare.py",
    "metamf/webapp/compare/maps.py": "tests/pages/test_compare.py",
    "metamf/webapp/inside/beside_mf.py": "tests/webapp/inside/test_other_matrix.py",
    "metamf/webapp/inside/network_words.py": "tests/webapp/inside/test_network.py",
    "metamf/webapp/inside/parts.py": "tests/webapp/inside/test_network.py",
    "metamf/webapp/inside/race_state.py": "tests/webapp/inside/test_race.py",
    "metamf/webapp/jobs/task.py": "tests/webapp/train/test_task.py",
    "metamf/webapp/lesson/charts.py": "tests/pages/test_lesson.py",
    "metamf/webapp/monitoring/observing.py": "tests/webapp/monitoring/test_metrics.py",
    "metamf/webapp/paper/times.py": "tests/webapp/paper/test_sections.py",
    "metamf/webapp/player/component.py": "tests/webapp/player/test_once.py",
    "metamf/webapp/rooms/joining.py": "tests/webapp/rooms/test_entrance.py",
    "metamf/webapp/rooms/style.py": "tests/pages/test_room.py",
    "metamf/webapp/train/controls.py": "tests/pages/test_train.py",
    "metamf/webapp/train/picture.py": "tests/pages/test_train.py",
    "metamf/webapp/train/trainings.py": "tests/pages/test_train.py",
}


def own_tests_of(path: str) -> str:
    """metamf/filling/holdout.py -> tests/filling/test_holdout.py"""
    module = PurePosixPath(path).relative_to("metamf")
    return str("tests" / module.with_name(f"test_{module.name}"))


def modules_without_tests(files: dict[str, str], tests: dict[str, str], elsewhere: dict[str, str]) -> list[str]:
    """Modules without a file of tests of their own or an entry of ``elsewhere``, and entries that are not true."""
    modules = [path for path in files if path.startswith("metamf/") and not path.endswith("__.py")]
    wrong = [
        f"{path}: its tests belong into {own_tests_of(path)}"
        for path in modules
        if own_tests_of(path) not in tests and path not in elsewhere
    ]
    for path, place in elsewhere.items():
        if path not in modules:
            wrong.append(f"{path}: there is no such module")
        elif own_tests_of(path) in tests:
            wrong.append(f"{path}: has tests of its own, {own_tests_of(path)}")
        elif place not in tests:
            wrong.append(f"{path}: there is no file {place}")
        elif not meets(place, path, files, tests):
            wrong.append(f"{path}: {place} names neither it, nor its names, nor a page or command that uses it")
    return wrong


def meets(place: str, path: str, files: dict[str, str], tests: dict[str, str]) -> bool:
    """Whether a file of tests names a module, one of its names, its command, or a page that is made with it."""
    text, module = tests[place], module_of(path)
    package, _, name = module.rpartition(".")
    patterns = [rf"\b{re.escape(module)}\b", rf"from {re.escape(package)} import [^\n]*\b{name}\b"]
    patterns += [rf"\b{public}\b" for public in public_names(files[path])]
    if package == "metamf.cli.options":
        patterns.append(f'"{name}"')
    return any(re.search(pattern, text) for pattern in patterns) or any(
        path in made_with(page, files) for page in pages_of(place, tests) if page in files
    )


def pages_of(place: str, tests: dict[str, str]) -> set[str]:
    """The pages that a file of tests names, itself or by the ``PAGE`` of a helper."""
    found = set(re.findall(r"pages/\w+\.py", tests[place]))
    if place.startswith("tests/pages/"):
        found.add(f"pages/{PurePosixPath(place).name.removeprefix('test_')}")
    for helper in re.findall(r"^from (\w+) import", tests[place], re.MULTILINE):
        found |= set(
            re.findall(r'^PAGE = "(pages/\w+\.py)"', tests.get(f"tests/support/{helper}.py", ""), re.MULTILINE)
        )
    return found


def made_with(page: str, files: dict[str, str]) -> set[str]:
    """The files that a page imports, and those that these import."""
    place_of, found, left = {module_of(path): path for path in files}, set(), [page]
    while left:
        new = {place_of[name] for _, name in inner_imports(left.pop(), files) if name in place_of} - found
        found |= new
        left += new
    return found
