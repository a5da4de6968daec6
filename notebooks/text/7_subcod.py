# %% [markdown]
# # Section 7: multi-instance single-label data through MIML
#
# Some data come as bags of instances with *one* label each, and the objects behind them are out of reach. Section 7 of
# the paper (Zhou, Zhang, Huang and Li, 2012) makes label *sets* for such data by itself: a broad
# label is taken apart into sub-concepts, an MIML learner learns those, and a second machine puts the
# broad label together again. The algorithm is **SubCod**, for *sub-concept discovery*.
#
# This notebook follows the algorithm on bags that one can look at, compares Table 5 with the printed one,
# with the compared algorithms run here and not quoted, and looks closely at one choice that the paper
# leaves open and that decides what SubCod is.

# %% [markdown] tags=["remove-cell"]
# ## Parameters

# %% tags=["parameters", "remove-cell"]
profile: str = "paper"  # smoke, quick or paper: how many trials, and on which data
jobs: int = -1  # worker processes for trials that are not recorded yet; -1 for one a core
data_home: str = ""  # folder of the data files; empty for MIMLPAPER_DATA, or data/raw
recompute: bool = False  # run all trials again, whatever is recorded

# %% tags=["hide-cell"]
import matplotlib.pyplot as plt

import mimlpaper as miml
from mimlpaper.companion import Companion
from mimlpaper.datasets import make_africa
from mimlpaper.report import diagrams, figures, scorecard, statistics, tables

paper = Companion(profile=profile, jobs=jobs, data_home=data_home, recompute=recompute)

# %% tags=["remove-input"]
paper.opening(
    "Can a broad label be learned through sub-concepts that nobody has labelled?",
    "Table 5, then what SubCod is without its sub-concepts.",
    tables=(5,),
    claims=("S7.",),
)

# %% [markdown]
# ## The idea
#
# "Africa" is hard to learn from pictures at once: one shows a tree over grassland, the next a lion, the third an
# elephant. The parts are easier, and from a list of parts the whole is easy again. Here is the paper's Fig. 2,
# drawn by code.

# %% mystnb={"image": {"alt": "Africa as one label that is hard to learn from images, and as a label learned through four sub-concepts: elephant, lion, tree and grassland."}}
figure, axes = plt.subplots(2, 1, figsize=(6, 4.6))
diagrams.draw_africa(axes)

# %% [markdown]
# ## Bags that one can look at
#
# Forty bags of two to five points on the plane. Every point is one of six things: a tree, grassland, a house, the sea, a
# lion, an elephant; each thing is a cloud with a place of its own. A bag is *of Africa* if a lion or an elephant is in
# it. The learner sees none of this: it gets points in bags, and one label a bag.

# %%
X, y, things = make_africa(40)
X, f"{y.sum()} bags of Africa, {(~y).sum()} of elsewhere"

# %% [markdown]
# ## Steps 1 and 2: sub-concepts
#
# All instances of all bags are pooled, and a mixture of $M$ Gaussians is fitted to them by EM. The
# bags' labels are not used yet. Each component is called a sub-concept; instance $x_i$ takes the one with
# the greatest responsibility,
#
# $$sc(x_i) = \arg\max_k \gamma_{ik}, \qquad
# \gamma_{ik} = \frac{\pi_k\, \mathcal{N}(x_i \mid \mu_k, \Sigma_k)}{\sum_j \pi_j\, \mathcal{N}(x_i \mid \mu_j, \Sigma_j)},$$
#
# and a bag gets the label vector $c_i$ with $c_{ij} = +1$ if one of its instances is of sub-concept $j$, else $-1$.
# The covariances are diagonal here; the paper does not say.
#
# In the picture the colours are the components, and an ellipse reaches two standard deviations to either side. Full
# discs are instances of bags of Africa, rings those of other bags. Three components hold full discs alone: those of the
# lions on the right, and the two that share the elephants at the top. One has caught a single stray point.

# %%
subcod = miml.SubCod(n_concepts=8, kept_share=0.8, random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(6.4, 4))
diagrams.draw_sub_concepts(subcod, X, y, ax)
paper.save_figure(figure, "sub_concepts")

# %% [markdown]
# ## Step 3: the label vectors are corrected
#
# So far the sub-concepts know nothing of the broad label. SubCod now allows some entries of the label vectors to be
# *inverted*, so that a linear machine can tell the broad label from them with a wide margin:
#
# $$\min_{w, b, \xi, Z}\; \tfrac12 \|w\|^2 + C \sum_i \xi_i \quad\text{s.t.}\quad
# y_i\,(\langle w, c_i \odot z_i\rangle + b) \ge 1 - \xi_i,\;\; \xi_i \ge 0,\;\; -1 \le z_{ij} \le 1,\;\;
# \sum_{i,j} z_{ij} \ge 2\theta - mM .$$
#
# An entry with $z_{ij} = 1$ stays, one with $z_{ij} = -1$ is inverted, and at least $\theta$ of the $mM$ entries are to stay.
# From $Z = 1$ on the machine $(w, b)$ and the inversions $Z$ are found by turns: a quadratic program, then a linear one,
# until the objective falls no more.
#
# The linear program has one constraint that couples the bags, the budget of inversions. A bag
# takes the inversions that raise its margin most; all bags' wishes are then served in the order of what they gain.
# That is an exact solution by sorting, and the tests hold it against a solver for convex programs.
#
# ## One program, many optima
#
# For given $(w, b)$ the slacks can be brought down to the same sum in many ways, and the paper does not say which one is
# taken. Three are offered here:
#
# - **minimal**: no inversion that is not needed;
# - **vertex**: the corner of the polyhedron at which the simplex method happens to stop;
# - **budget**: after the needed ones, any inversion that raises a margin, while the budget lasts.
#
# All three solve each linear program. But the next machine is trained on the result, and the turns lead to
# quite different ends. Blue squares are the labels after correction, a cross marks an inverted one; the bags of Africa
# are above the line.

# %%
figure, axes = plt.subplots(1, 4, figsize=(7, 3.6), sharey=True)
settings = [("minimal", 0.5), ("vertex", 0.5), ("budget", 0.8), ("budget", 0.5)]
for ax, (optimum, kept_share) in zip(axes, settings, strict=True):
    corrected = miml.SubCod(
        n_concepts=8, kept_share=kept_share, optimum=optimum, random_state=0
    ).fit(X, y)
    title = f"{optimum}\nθ = {kept_share:.0%} of mM"
    diagrams.draw_label_vectors(corrected.concepts_, corrected.polished_, y, ax, title=title)
diagrams.key_of_label_vectors(figure)
paper.save_figure(figure, "label_vectors")

# %% [markdown]
# The minimal correction changes two squares of 320. With the whole budget the columns become stripes, some of them
# at $\theta$ = 80 % of $mM$, all of them at 50 %: every sub-concept has been turned into the bag label itself, or
# into its exact opposite. That is where the objective has its least possible value, $1/(2M)$, and nothing of
# the sub-concepts is left. The vertex lies in between.
#
# ## Steps 3 to 5: an MIML learner, and back to one label
#
# With the corrected vectors $\tilde c_i$ the bags are MIML examples, and any MIML learner will do; the paper takes MimlSvm,
# and MimlNn and MimlSvm_mi as variants. A linear support vector machine (the paper's SMO with default
# parameters) is trained to tell $y$ from $\tilde c$. A new bag goes through both.
#
# The map below finds each step of the paper's Table 10 in the code.

# %%
scorecard.pseudocode_map(miml.SubCod)

# %% [markdown]
# ## Table 5
#
# Five data sets. Musk1 and Musk2 are molecules, each a bag of the shapes that it can take, and the label says whether it
# smells of musk. Elephant, Tiger and Fox are images, each a bag of segments. Ten runs of ten-fold cross-validation,
# stratified; a run's accuracy is the mean of its folds, and the standard deviation is over the ten runs.
#
# $M$ and $\theta$ are chosen in each fold by one hold-out test on its training bags, from $M \in \{10, 40, 70\}$ and
# $\theta \in \{10, 30, 50, 70\}$ % of $mM$; test bags take part in no choice.
#
# What the paper leaves open, scaling, kernels and costs, was settled by coming close to the printed rows, on other folds
# than those recorded here but on the same bags: like the quoted rows, the best of several settings, these are
# a little optimistic. A row with such settings bears †, and the blind column shows what it is without them. The table after this one
# has compared algorithms whose parameters no test bag has seen.
#
# The paper quotes the lower five rows from the literature, without standard deviations. Here they are run. Where the paper
# prints no deviation, ours sets the tolerance alone, and it is wide: half of the other algorithms' cells would agree as well, so that
# agreement says little in this table. Diverse Density's three
# missing cells and the row of SubCod_MimlBoost, which did not end within reasonable time for the authors, are filled.

# %%
paper.table(5)

# %% tags=["remove-input"]
paper.identified(5)

# %% [markdown]
# The row that the paper could not run takes seconds a fit, and its accuracy is like the others' but on Musk2: there MimlBoost's one machine has to learn the
# label and its opposite, which only their codes tell apart. On the bag label alone it does far better (see the last table).
#
# The blind column agrees with print in fewer cells than in any other table. Only $M$ and $\theta$ are stated here, so that a blind reader takes the
# defaults of a library. With those of LIBSVM, a kernel too wide for its cost, mi-SVM puts nearly all images into one class.
# That speaks against the defaults, not against the method: one hold-out mends it, as the tuned rows below show.

# %% [markdown]
# Five sets are few for a test over data sets: Friedman's test says whether ranks differ at all, and a bar joins algorithms that
# Nemenyi's test cannot tell apart.

# %%
five = paper.trials("table5")
losses = 1 - five.groupby(["dataset", "method"])["accuracy"].mean().unstack().dropna(axis=1)
figure, axis = plt.subplots(figsize=(7, 2.6))
figures.plot_critical_difference(statistics.friedman(losses), axis, title="Table 5")
paper.save_figure(figure, "critical_difference_five")

# %% [markdown]
# ## What a fit costs
#
# Processor seconds of one fit, the hold-out for $M$ and $\theta$ included, and of one prediction of the test bags; means
# over all five data sets.

# %%
paper.seconds("table5")

# %% [markdown]
# ## The compared algorithms, tuned
#
# SubCod chooses two parameters by hold-out. Here the five compared algorithms choose theirs in the same way: the
# scaling of the features (to [0, 1], to unit variance, or rows of unit length) and one or two parameters of
# their own. The hold-out part is about a quarter of 83 to 180 bags, so that the choice itself is noisy.

# %%
tuned = paper.trials("table5_tuned")
table = tables.accuracies_table(tuned, title="Compared algorithms, tuned", profile=profile)
paper.save_table(table, "table5_tuned")

# %% [markdown]
# By hold-out the support vector machines change by -.06 to +.04 against settled parameters. Diverse Density is ahead of
# them on Musk1 and Fox, near the best of them on Musk2 and Elephant, and behind all three on Tiger. SubCod as recorded stays above all five on every set but Musk1. Its $M$ and $\theta$ are held out
# too, but its kernel and cost were settled, so that this is not quite a fair fight.

# %% [markdown]
# ## The claims of Section 7
#
# The section makes claims on accuracy, and one on time: that SubCod with MimlBoost does not end within reasonable time (N.1, which also
# speaks of Section 6). Seconds of today say nothing of a program of 2012, so that N.1 is not comparable. Folds share most of their
# bags, which the strict test takes into account; and a test against a value that the paper quotes is one against a number without a
# deviation.

# %%
tables.claims_table([*paper.claims("S7."), *paper.claims("N.")])

# %% [markdown]
# ## What the choice among the optima means
#
# The first row below is SubCod as in Table 5, with the whole budget. Then the same algorithm with the other two optima, and
# with no correction at all ($\theta = mM$). The last row leaves sub-concepts out: MimlSvm is trained on
# the bag label itself, with the same features, kernel and cost.

# %%
optima = paper.trials("choices_subcod")
table = tables.accuracies_table(optima, title="Which optimum is taken", profile=profile)
paper.save_table(table, "subcod_optima")

# %% [markdown]
# SubCod with the whole budget and MimlSvm on the bag label are the same learner: the correction has written the bag label
# into the label vectors, and predicting those is predicting it. Where sub-concepts survive, in the minimal
# optimum and without correction, the accuracy is clearly lower. The vertex is close to the whole budget, for
# it inverts a good part of the labels too.
#
# So the printed accuracies are within reach where the correction *replaces* the sub-concepts by the label. They speak for
# MimlSvm, with a kernel and a cost that suit these bags, as a multi-instance learner; that sub-concepts help is not
# seen in any row here. Which optimum the authors' solver took the paper does not say.

# %% [markdown]
# ## What M and θ do
#
# SubCod with MimlSvm and the whole budget, for every $M$ and $\theta$ of a grid; nothing is chosen here. The
# shaded part is the paper's range for $\theta$. At 100 % nothing is corrected.

# %%
sweep = paper.trials("sweep_subcod")
figure, axes = plt.subplots(1, 3, figsize=(7, 2.6), sharey=True)
figures.plot_m_and_theta(sweep, axes)
paper.save_figure(figure, "m_and_theta")

# %% [markdown]
# Inside the paper's range neither $M$ nor $\theta$ changes anything: the lines are level and lie on each other. A small
# budget is enough to make *one* sub-concept the bag label, and one is all that the last machine needs; of
# seventy it is a smaller share of $mM$ than of ten, which is why the line of $M = 10$ falls first. At
# 100 % nothing may be inverted, and what is left is what sub-concepts that know nothing of the label can do.

# %% [markdown]
# ## What the paper leaves open
#
# Settings that the paper does not state, and what was chosen.

# %%
tables.divergences_table("7")
