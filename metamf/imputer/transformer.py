"""The transformer of rating matrices as scikit-learn asks for it: names of columns, tags, and what X tells of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from metamf.ratings.matrix import Ratings


class MatrixTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """A transformer of matrices with missing cells, with a column for each column.

    Attributes
    ----------
    ratings_ : Ratings
        The observed entries of the fitted matrix; a subclass sets it.
    """

    ratings_: Ratings

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of what ``transform`` returns: those of X, as a data frame or ``Ratings`` has them."""
        check_is_fitted(self)
        labels = self.ratings_.col_labels
        if input_features is None and labels is not None and all(isinstance(label, str) for label in labels):
            return np.array(labels, dtype=object)
        return super().get_feature_names_out(input_features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _take_columns_of(self, reader: BaseEstimator) -> None:
        """Takes over what another estimator, in reading X, has learned of its columns."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(reader, name):
                setattr(self, name, getattr(reader, name))
