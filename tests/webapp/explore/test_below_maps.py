"""Below the maps: the two ways to where the model is wrong, the paper's setting, the objective."""

import pytest
from opened import healthy, no_data_sets, opened, text  # noqa: F401  a fixture
from tasks_of_tests import made_up_matrix

from metamf import reproduction
from metamf.answer.division import divide
from metamf.baselines import METHODS
from metamf.datasets.examples import FILM_NIGHT, HARD_TO_PLEASE
from metamf.webapp import choices
from metamf.webapp.choices import DEFAULT
from metamf.webapp.explore import below_maps
from metamf.webapp.run import curve
from metamf.webapp.run.comparison import TABLE_1
from metamf.webapp.run.measured_run import run
from metamf.webapp.run.sentences import Off

LIKED = "what people like"


def off(data=FILM_NIGHT, model=DEFAULT.model, by=DEFAULT.by, seed=DEFAULT.seed):
    task = divide(choices.example(data, seed), DEFAULT.keep / 100, by, seed)
    return Off.by(run(task, model, DEFAULT.steps).hidden_deviations)


@pytest.mark.slow
@pytest.mark.parametrize(
    "key, data, model",
    [
        ("Use a model trained on films", FILM_NIGHT, "ml-1m"),
        ("Make everyone a star harsher", HARD_TO_PLEASE, DEFAULT.model),
    ],
)
def test_one_click_shows_a_prior_of_another_world_with_the_difference(key, data, model):
    at = healthy(opened())
    healthy(at.button(key=f"wrong_{key}").click().run())
    assert (at.selectbox(key="data").value, at.radio(key="model").value) == (data, model)
    assert off().said("stars") in text(at)
    assert f"{off(data, model).rmse:.2f}" in text(at)


def test_a_prior_of_another_world_is_worse_over_many_nights():
    usual = curve.over_many(FILM_NIGHT, LIKED, DEFAULT.model, 30)
    for data, model in ((FILM_NIGHT, "ml-1m"), (HARD_TO_PLEASE, DEFAULT.model)):
        found = curve.over_many(data, LIKED, model, 30)
        assert found.model.rmse > usual.model.rmse + 0.2
        assert found.model.bias > 0.4
    assert usual.model.rmse < 0.65 * usual.simple.rmse
    assert abs(usual.model.bias) < 0.1


@pytest.mark.parametrize("seed", [0, 1])
def test_a_night_on_which_it_is_not_wrong_says_so(seed):
    at = healthy(opened(data=HARD_TO_PLEASE, by=LIKED, seed=seed))
    harsh, usual = (off(data, by=LIKED, seed=seed) for data in (HARD_TO_PLEASE, FILM_NIGHT))
    assert ("by luck" in text(at)) == (harsh.rmse < usual.rmse + 0.05)
    assert "instead of" in text(at)
    assert not [button for button in at.button if (button.key or "").startswith("wrong_")]


def test_the_papers_setting_has_the_methods_of_its_table_1():
    assert {*TABLE_1, "ours"} == set(reproduction.printed("Table 1").method)
    assert set(TABLE_1) <= set(METHODS)


def test_half_is_given_at_random_on_film_nights_or_on_a_block_of_the_data(monkeypatch):
    monkeypatch.setattr(below_maps.datasets, "available", lambda name: False)
    found = below_maps.papers_choices()
    assert (found["by"], found["keep"], found["data"]) == ("at random", 50, "Film night")
    monkeypatch.setattr(below_maps.datasets, "available", lambda name: True)
    found = below_maps.papers_choices()
    assert (found["data"], found["model"]) == ("MovieLens 100K block", "ml-100k")


def test_what_the_steps_minimise_is_said_of_those_that_descend_it():
    task = divide(made_up_matrix(), 0.5, "at random", 1)
    found = run(task, "ml-1m", 10)
    first, *_, last = found.objective.likelihood + found.objective.prior
    assert f"from {first:.2f} to {last:.2f}" in below_maps.about_objective(found)
    sweeps = run(task, "universal", 3)
    assert sweeps.objective is None
    assert below_maps.about_objective(sweeps) == ""
