"""Helper threads: results in order, one core each, and no trace in the threads around them; and random
numbers of one's own."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf.ratings.randomness import own_random_state
from metamf.ratings.threads import helper_threads, map_blocks, run_on_few_cores, run_with_helpers


def test_helpers_compute_on_one_core_each_and_keep_the_order(three_threads):
    def work():
        return map_blocks(lambda at: (at, torch.get_num_threads()), range(7))

    assert run_with_helpers(work) == [(at, 1) for at in range(7)]
    weight = torch.ones(1, requires_grad=True)
    products = run_with_helpers(lambda: map_blocks(lambda at: weight * at, range(3)))
    assert not any(product.requires_grad for product in products)
    with torch.inference_mode():
        one, _ = run_with_helpers(lambda: map_blocks(lambda at: torch.ones(1) + at, range(2)))
    assert one.is_inference()
    with pytest.raises(ZeroDivisionError):
        run_with_helpers(lambda: map_blocks(lambda at: 1 / at, range(3)))


def test_a_small_computation_stays_on_one_core(three_threads):
    assert run_on_few_cores(torch.get_num_threads, 100) == 1
    assert torch.get_num_threads() == run_on_few_cores(torch.get_num_threads, 2**20) == 3
    assert run_with_helpers(lambda: run_on_few_cores(torch.get_num_threads, 1)) == 1
    with pytest.raises(ZeroDivisionError):
        run_on_few_cores(lambda: 1 / 0, 1)


def test_other_threads_keep_their_number(three_threads):
    def work():
        with ThreadPoolExecutor(1) as another:  # somebody else's work, meanwhile
            return [another.submit(ask).result() for ask in (helper_threads, torch.get_num_threads)]

    assert run_with_helpers(work) == [1, 3]
    assert run_with_helpers(helper_threads) == torch.get_num_threads() == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_a_forked_process_has_helpers_of_its_own():
    code = """
import os
import torch
from metamf.ratings.randomness import own_random_state
from metamf.ratings.threads import map_blocks, run_with_helpers
torch.set_num_threads(2)
work = lambda: run_with_helpers(lambda: map_blocks(lambda at: at, range(3)))
work()
if (child := os.fork()) == 0:
    os._exit(work() != [0, 1, 2])
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_numbers_come_from_the_seed_and_the_callers_go_on_as_if_nothing_had_been(monkeypatch):
    # a caller's generators on other devices, which nobody may seed
    monkeypatch.setattr(
        torch.cuda, "manual_seed_all", lambda seed: pytest.fail("all CUDA devices were seeded")
    )
    torch.default_generator.manual_seed(3)
    expected = torch.rand(2)
    torch.default_generator.manual_seed(3)
    with own_random_state(7):
        inside = torch.rand(2)
    assert torch.equal(torch.rand(2), expected)
    with own_random_state(7):
        assert torch.equal(torch.rand(2), inside)
