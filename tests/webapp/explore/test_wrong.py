"""The first screen, and the two ways from it to where the model is wrong."""

import pytest
from opened import PAGES, healthy, no_data_sets, opened, shown_run, text  # noqa: F401  a fixture

from metamf.answer.division import divide
from metamf.datasets.examples import FILM_NIGHT, HARD_TO_PLEASE
from metamf.webapp.explore import choices, curve, wrong
from metamf.webapp.explore.choices import DEFAULT
from metamf.webapp.explore.run import run
from metamf.webapp.explore.words import Off


def off(data=FILM_NIGHT, model=DEFAULT.model):
    task = divide(choices.example(data, DEFAULT.seed), DEFAULT.keep / 100, DEFAULT.by, DEFAULT.seed)
    return Off.by(run(task, model, DEFAULT.steps).hidden_deviations)


def test_the_first_screen_is_the_night_of_seed_0_whose_steps_do_the_work():
    assert (DEFAULT.seed, DEFAULT.keep, DEFAULT.by) == (0, 30, "what people like")
    found = shown_run(healthy(opened()))
    assert (found["n_given"], found["n_hidden"], found["K"]) == (72, 168, 4)
    prior, *_, last = found["errors"]["hidden"]
    assert last < 0.7 * prior


def test_another_seed_is_another_night():
    assert shown_run(opened(seed=5))["rows"] != shown_run(opened())["rows"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "key, data, model",
    [
        ("Ask one trained on films", FILM_NIGHT, "ml-1m"),
        ("Make all hard to please", HARD_TO_PLEASE, DEFAULT.model),
    ],
)
def test_one_click_shows_a_prior_of_another_world_with_the_difference_and_one_leads_back(key, data, model):
    at = healthy(opened())
    healthy(at.button(key=f"wrong_{key}").click().run())
    assert (at.selectbox(key="data").value, at.radio(key="model").value) == (data, model)
    assert off().said("stars") in text(at) and off(data, model).said("stars") in text(at)
    healthy(at.button(key="wrong_Back").click().run())
    assert (at.selectbox(key="data").value, at.radio(key="model").value) == (FILM_NIGHT, DEFAULT.model)


def test_a_prior_of_another_world_is_worse_over_many_nights():
    usual = curve.over_many(FILM_NIGHT, DEFAULT.by, DEFAULT.model, 30)
    for data, model in ((FILM_NIGHT, "ml-1m"), (HARD_TO_PLEASE, DEFAULT.model)):
        found = curve.over_many(data, DEFAULT.by, model, 30)
        assert found.model.rmse > usual.model.rmse + 0.2 and found.model.bias > 0.4
    assert usual.model.rmse < 0.65 * usual.simple.rmse and abs(usual.model.bias) < 0.1


def test_elsewhere_nothing_is_said_to_be_wrong():
    at = healthy(opened(data="Jokes"))
    assert not [button for button in at.button if (button.key or "").startswith("wrong_")]
    assert wrong.ELSEWHERE in choices.checkpoint_choices()
