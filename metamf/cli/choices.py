"""The names that options offer, written down here because the registries need torch; a test compares them."""

METHODS = (  # metamf.baselines.METHODS
    "ours",
    "eml",
    "ft",
    "maml",
    "autorec_i",
    "autorec_u",
    "dmf",
    "mf",
    "mean",
    "crossed_effects",
    "damped_bias",
    "knn",
    "iterative",
    "soft_impute",
    "als",
    "normal",
)
REFERENCES = ("row_means", "col_means")  # metamf.evaluate.methods.REFERENCES
UNIVERSAL = "universal"
PRESETS = {  # metamf.learning.recipes.PRESETS, and the recipe of the extended model
    "paper": "the paper's settings: Adam, 1e-4, 1,000 epochs (of 16 updates), early stopping",
    "tuned": "1e-3 with cosine decay, 2,000 updates, a learned step size, averaged parameters, no dropout",
    "last": "as tuned, but the parameters of the last epoch, whatever the meta-validation blocks say",
    UNIVERSAL: "the extended model, on matrices of every size from one data set or several",
}
