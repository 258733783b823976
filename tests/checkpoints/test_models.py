"""The two kinds of model, told apart by the header of their checkpoint."""

from checkpoint_files import INFO
from models_of_checkpoints import EXTENDED_INFO
from problems import small_model, small_universal

from metamf.checkpoints.extended_model import ExtendedModel
from metamf.checkpoints.models import model_of
from metamf.checkpoints.paper_model import PaperModel


def test_the_header_s_kind_decides_which_model_it_is():
    assert type(model_of(small_model(), INFO)) is PaperModel
    assert type(model_of(small_universal(), EXTENDED_INFO)) is ExtendedModel
