# %% [markdown]
# # Every claim over every reading
#
# The paper leaves many choices open: how features are scaled, how wide a kernel is, which labels are predicted, how long a loop
# goes on. We picked one of each, and so did every reader who ever repeated the experiments. What would a reader have concluded who
# had picked otherwise? Fits are fast enough today to ask it of the whole paper. The answer in short stands below; it
# is counted from the records, like every number here.
#
# A *reading* of a method is its published row with some choices changed. A *universe* is what one reader decides: the
# scaling and the label rule, which all methods of a comparison share, a reading of each method, and which t-test counts.

# %% [markdown] tags=["remove-cell"]
# ## Parameters
#
# Trials that are not recorded yet are run first. The published readings are those of the tables; only what differs from them is run.

# %% tags=["parameters", "remove-cell"]
profile: str = "paper"  # smoke, quick or paper: how many trials, and on which data
jobs: int = -1  # worker processes for trials that are not recorded yet; -1 for one a core
data_home: str = ""  # folder of the data files; empty for MIMLPAPER_DATA, or data/raw
recompute: bool = False  # run all trials again, whatever is recorded

# %% tags=["hide-cell"]
import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper import MimlNn
from mimlpaper.companion import Companion
from mimlpaper.datasets import load
from mimlpaper.experiments.multiverse import Multiverse
from mimlpaper.metrics import CRITERIA
from mimlpaper.report import figures, multiverse, tables

paper = Companion(profile=profile, jobs=jobs, data_home=data_home, recompute=recompute)

# %% tags=["remove-input"]
universes = paper.universes()
shares = paper.recorded("multiverse_claims")
paper.opening(
    "What would a reader have concluded who had made the open choices otherwise?",
    "the claims of several colours below, and what turns them over.",
    found=multiverse.in_sentences(shares),
)

# %% [markdown]
# ## Which claims survive
#
# One bar a claim, in the paper's order. Green is the share of universes in which the claim holds, yellow that in which it holds in
# part, orange that in which it fails; the word at the end is the verdict of the published readings on the same splits. A claim with a
# bar of one colour does not depend on what was left open. A bar of several colours is a claim about somebody's choices, and the
# paper does not say whose.
#
# The universes are drawn with equal chances for every alternative, which does not say how plausible each one is: readers who
# find an alternative absurd will want to leave it out. They can see below which ones matter. Fewer splits than in the tables take part here, so that
# a verdict may be weaker than on the scorecard.

# %%
figure, axis = plt.subplots(figsize=(5, 6.5))
figures.plot_claim_shares(shares, axis)
paper.save_figure(figure, "multiverse_claims")

# %% [markdown]
# ## What turns a claim over
#
# For each claim the smallest changes that give another verdict than the published one: one change if one is enough, otherwise two. A claim
# that is turned over by the scaling of the features, or by another label rule, was never a statement about bags of instances alone. A
# claim that no pair of changes turns over is as firm as a result on these data can be. "All" marks what the methods of a comparison
# share; the plain paired t-test is the paper's own, in place of the corrected one.

# %%
paper.save_table(tables.flips_table(shares), "multiverse_flips")

# %% [markdown]
# ## Specification curves
#
# Ten claims in detail: those about the main rows of each table. On the left every drawn universe is a dot in the colour of its
# verdict, in order of its effect: the mean lead of the method that the claim favours, on average precision where that is among
# its parts, or the share of its parts that hold. On the right is a row for each of the choices that move the effect most,
# with a tick in the universes that make this choice. Where ticks gather at one end, the choice decides. Where they spread evenly,
# it does not matter here, however much was written about it. The claims of Section 5 are not among the ten: none of their
# parts holds in any universe.

# %%
chosen = ["S4.1", "S4.2", "S4.3", "S4.5", "S4.9", "S4.16", "S6.1", "S6.4", "S6.6", "S7.2"]
figure, axes = plt.subplots(len(chosen), 2, figsize=(7, 14))
figures.plot_specifications(universes, chosen, axes)
paper.save_figure(figure, "multiverse_specifications")

# %% [markdown]
# ## Which choices carry the variance
#
# An analysis of variance over the readings of each method: what share of the variance of a criterion does a choice carry by itself? The
# label rule changes hamming loss, recall and F1 alone, since the other criteria see only the order of the labels. *Together* is what no
# single choice carries. Shares are means over the methods that leave a choice open, so a column need not add up to 100 %.

# %%
names = {f"Table {n}": f"table{n}" for n in (1, 2, 3, 4)}
names |= {f"Fig. {n}": f"figure{n}" for n in (4, 5)}
carried = {
    title: multiverse.variance_of(paper.readings(name), list(CRITERIA))
    for title, name in names.items()
}
paper.save_table(tables.variance_table(carried), "multiverse_variance")

# %% [markdown]
# ## Where the printed rows lie
#
# Some settings of the matched column were chosen because they come nearest to the printed row. How much does such a choice prove?
# If most readings of a method are nearest to their own printed row, the row is easy to meet, and our settings say little about the
# authors'. If few are, the printed row tells something about how it was made. The last column says where the printed value lies
# in the distribution of the readings: near 0 or 100 %, few readings of ours, or none, go beyond it.

# %%
positions = pd.concat(multiverse.row_positions(paper.readings(f"table{n}"), n) for n in range(1, 6))
paper.save_table(tables.positions_table(positions), "multiverse_rows")

# %% [markdown]
# ## For an estimator of your own
#
# The same can be asked of any estimator with scikit-learn's interface, on any data. Name its choices and their alternatives:
# `Multiverse` crosses them, in full where that is possible and otherwise in a fraction in which every pair of choices can still be
# estimated. It fits each reading on the same splits, does shared work once, and gives a row for each reading and split. Below, MimlNn
# on drawn landscapes, and the shares of the variance that its three choices carry.

# %%
data = load("synthetic_scene")
choices = {"ratio": [0.1, 0.2], "ridge": [0.1, 10.0], "label_rule": ["top"]}
own = Multiverse(choices).run(MimlNn(), data.X, data.Y, n_splits=2)
multiverse.variance_shares(own, list(choices), ["hamming_loss", "average_precision"]).round(2)

# %% [markdown]
# ## What a reader may quote
#
# A comparison of learning methods is a statement about pairs of methods *and* about the choices of whoever compared them. None of
# the claims above holds in nine of ten universes, so none may be quoted without its choices. Some fail in nearly all of
# them: no reading that we tried rescues these; the settings do not explain why they fail. For more
# than half of the claims a single choice changes the verdict, and a few choices do it again and again: the scaling of
# features, which t-test counts, the label rule, which RankSvm was run, and MimlNn's ridge. The honest sentence names them.
