"""Helper threads: alone on a core, in order, and without a trace in torch's own numbers of threads."""

import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf.ratings.threads import (
    _single_threaded_pool,
    build_pools,
    helper_threads,
    helpers,
    map_blocks,
    run_on_few_cores,
    run_with_helpers,
)

REPOSITORY = Path(__file__).resolve().parents[2]


def test_threads_compute_alone_and_keep_the_order(three_threads):
    def work():
        return helper_threads(), map_blocks(lambda at: (at, torch.get_num_threads(), torch.ones(1) + at), range(7))

    with torch.inference_mode():
        threads, found = run_with_helpers(work)
        outside = map_blocks(lambda at: at, range(3))
    assert threads == 3 and helper_threads() == 1 and outside == [0, 1, 2]
    assert [at for at, _, _ in found] == list(range(7)) and {n for _, n, _ in found} == {1}
    assert all(value.is_inference() for _, _, value in found)
    weight = torch.ones(1, requires_grad=True)
    products = run_with_helpers(lambda: map_blocks(lambda at: weight * at, range(3)))
    assert not any(product.requires_grad for product in products)
    with pytest.raises(ZeroDivisionError):
        run_with_helpers(lambda: map_blocks(lambda at: 1 / at, range(3)))


def test_a_small_computation_has_one_core_to_itself_and_leaves_no_trace(three_threads):
    weight = torch.ones(1, requires_grad=True)

    def work():
        return torch.get_num_threads(), helper_threads(), weight * 2

    with torch.inference_mode():
        threads, helpers, product = run_on_few_cores(work, 100)
    assert (threads, helpers) == (1, 1) and product.is_inference() and not product.requires_grad
    assert torch.get_num_threads() == run_on_few_cores(torch.get_num_threads, 2**20) == 3
    assert run_with_helpers(helper_threads) == 3
    assert run_with_helpers(lambda: run_on_few_cores(torch.get_num_threads, 1)) == 1
    with pytest.raises(ZeroDivisionError):
        run_on_few_cores(lambda: 1 / 0, 1)


def test_threads_that_come_later_have_as_many_threads_as_before(three_threads):
    run_with_helpers(lambda: map_blocks(lambda at: at, range(3)))
    with ThreadPoolExecutor(1) as later:  # a visitor's thread, say
        assert later.submit(torch.get_num_threads).result() == 3
        assert later.submit(run_with_helpers, helper_threads).result() == 3


def test_work_that_has_its_turn_may_have_more_helpers_than_torch_has_threads(three_threads):
    with helpers(5):
        assert run_with_helpers(helper_threads) == 5
        assert run_with_helpers(lambda: map_blocks(lambda at: torch.get_num_threads(), range(2))) == [1, 1]
        with ThreadPoolExecutor(1) as another:  # somebody else's work, meanwhile
            assert another.submit(run_with_helpers, helper_threads).result() == 3
    assert run_with_helpers(helper_threads) == torch.get_num_threads() == 3


def test_a_first_call_while_the_threads_of_another_are_built_leaves_the_number_of_threads(three_threads, monkeypatch):
    _single_threaded_pool.cache_clear()
    set_num_threads, building = torch.set_num_threads, threading.Event()

    def slowly(number):
        set_num_threads(number)
        building.set()
        time.sleep(0.01)

    monkeypatch.setattr(torch, "set_num_threads", slowly)
    with ThreadPoolExecutor(2) as visitors:
        first = visitors.submit(run_with_helpers, helper_threads)
        assert building.wait(60)
        second = visitors.submit(run_with_helpers, helper_threads)
        assert (first.result(), second.result()) == (3, 3)
    with ThreadPoolExecutor(1) as later:
        assert later.submit(torch.get_num_threads).result() == 3


def test_where_the_threads_are_built_no_later_call_changes_a_number_of_threads(three_threads, monkeypatch):
    _single_threaded_pool.cache_clear()
    build_pools(5)
    with monkeypatch.context() as patch:
        patch.setattr(torch, "set_num_threads", None)
        assert run_with_helpers(helper_threads) == 3 and run_on_few_cores(torch.get_num_threads, 1) == 1
        with helpers(5):
            assert run_with_helpers(helper_threads) == 5


FIRST_FITS = """
import json
import time
from concurrent.futures import ThreadPoolExecutor
import torch
from metamf.ratings.threads import helper_threads, run_with_helpers

set_num_threads = torch.set_num_threads
set_num_threads(3)

def slowly(number):
    set_num_threads(number)
    time.sleep(0.2)

torch.set_num_threads = slowly

def visitor(seconds):
    time.sleep(seconds)
    return run_with_helpers(helper_threads)

with ThreadPoolExecutor(2) as visitors:
    found = list(visitors.map(visitor, [0, 0.1]))
with ThreadPoolExecutor(1) as later:
    found.append(later.submit(torch.get_num_threads).result())
    found.append(later.submit(visitor, 0).result())
print(json.dumps(found))
"""


@pytest.mark.slow
def test_two_first_calls_at_once_leave_the_number_of_threads_as_it_was():
    """The second visitor's thread first calls torch while the pools of the first one are made, which takes a while."""
    done = subprocess.run([sys.executable, "-c", FIRST_FITS], cwd=REPOSITORY, timeout=120, stdout=subprocess.PIPE)
    assert json.loads(done.stdout) == [3, 3, 3, 3]


FORKED = """
import multiprocessing
import numpy
import torch
from metamf import MetaMFImputer
torch.set_num_threads(1)
def fit():
    MetaMFImputer().fit(numpy.random.default_rng(0).normal(size=(150, 120)))
fit()
child = multiprocessing.get_context("fork").Process(target=fit)
child.start()
child.join(60)
child.kill()
raise SystemExit(child.exitcode)
"""


@pytest.mark.slow
def test_a_forked_process_has_threads_of_its_own():
    """Those that its parent had made do not go on in it."""
    assert subprocess.run([sys.executable, "-c", FORKED], cwd=REPOSITORY, timeout=120).returncode == 0
