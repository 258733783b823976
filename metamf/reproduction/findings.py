"""What the measurements show, beside the paper's tables and figures.

The sentences are about errors as ratios to Mean on all 200 blocks of a split, meta-trained with preset ``tuned``; the
numbers are those of benchmarks/results/paper, and docs/results.md lists every number that differs from the paper's.
"""

NOT_MEASURED = "Not measured yet: the command below computes it."
CLAIM = (
    "MetaMF has the smallest error on all three data sets; its lead over the best method that sees one matrix alone, "
    "Crossed random effects, is 3.3 ± 0.3 % on MovieLens 100K, 2.2 ± 0.2 % on MovieLens 1M and 1.0 ± 0.2 % on Jester."
)
FINDINGS = {
    "Table 1": "MetaMF has the smallest error of 15 methods on all three data sets, significantly below all others. "
    "With the paper's settings, a paired test does not distinguish MAML from it on MovieLens.",
    "Table 2": "MetaMF is closer to the given ratings than EML on all three data sets, and IterativeImputer is closest "
    "of all.",
    "Table 3": "No choice of training data is better than the data set itself. The worst is Jester for MovieLens, "
    "6 to 7 % above it, and MovieLens 1M for Jester, 3 % above it.",
    "Table 4": "The number of factors hardly matters: from 8 to 128 the error changes by at most 0.2 %.",
    "Table 5": "AutoRecU is best with 32 hidden units on all three data sets, AutoRecI with 128 or 512. Another number "
    "costs at most 4.3 %.",
    "Figure 3": "MetaMF is lowest at every size. Its ratio to Mean is largest at 30 × 30 on MovieLens; on Jester it "
    "falls up to 50 × 50.",
    "Figure 4": "MetaMF is lowest at every size on MovieLens and at five of six sizes on Jester. Its ratio to Mean is "
    "largest at 30 × 30 on MovieLens; on Jester it falls up to 60 × 60.",
    "Figure 5": "The ten steps that MetaMF was trained with take 6.4 % (MovieLens 100K), 3.0 % (MovieLens 1M) and "
    "14.9 % (Jester) off the error of the prior alone. After 50 steps the error is 5 to 9 % larger than after ten.",
    "Finetuning": "Where both are equally close to the given ratings, the error of the paper's FT on the others is "
    "between those of ours at two rates: 0.01 and 0.1 on MovieLens, 0.001 and 0.01 on Jester.",
    "Epochs": "EML reaches the paper's error after 40 (MovieLens 100K), 20 (MovieLens 1M) and 10 epochs (Jester) and "
    "goes on improving. MetaMF reaches it after 10 and 5 epochs on MovieLens 1M and Jester; on MovieLens 100K it is "
    "still above it after 160, at 0.905 instead of 0.895.",
    "Tables 6 and 7": "An update of MAML takes 4 to 6 times as long as one of MetaMF; in the paper, 11 to 16 times. "
    "Here MAML takes the inner steps of all matrices of a batch at once. An update of MetaMF takes about twice as long "
    "as one of EML; in the paper, 1.2 to 1.5 times.",
}
AGREEMENT = {
    "Table 1": "16 of our 24 numbers are within two of the paper's standard errors; MetaMF reaches its number on all "
    "three data sets. FT is far below the paper's everywhere, and on Jester EML, MAML, MF and MetaMF are below and "
    "AutoRecI is above. The paper prints neither how FT is finetuned, nor MAML's inner learning rate, nor how many "
    "updates AutoRec, DMF and MF take; it meta-trains for at most 1,000 epochs and stops early, without defining an "
    "epoch.",
    "Table 2": "2 of our 12 numbers are within two of the paper's standard errors. Meta-training counts the hidden "
    "ratings alone, which hardly determine how close the fit to the given ones is: between 7 and 15 MAP steps at test "
    "time, the error of MetaMF on given ratings changes by 20 to 41 %, that on hidden ones by at most 1 %.",
    "Table 3": "16 of our 21 numbers are within two of the paper's standard errors. The other five are errors on "
    "Jester, where ours are smaller.",
}
