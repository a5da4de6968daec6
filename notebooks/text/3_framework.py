# %% [markdown]
# # Section 3: the framework
#
# Ordinary learning describes an object by one feature vector and gives it one label. Both halves
# are often too poor. An image of lions on grassland has many parts, and it is about *lions*, about
# *grassland* and about *Africa* at once. **Multi-instance multi-label learning** (MIML; Zhou, Zhang,
# Huang and Li, 2012) keeps both kinds of plenty.
#
# This notebook tells Section 3 of the paper in other words, with a small example of a MIML object that one can
# look at: a drawn scene, taken apart into its instances, with its labels, and with what a learner makes of it.
# It needs no data and is done in seconds.

# %% [markdown] tags=["remove-cell"]
# ## Parameters
#
# No trials are run here; the parameters are the ones that all notebooks share.

# %% tags=["parameters", "remove-cell"]
profile: str = "paper"  # smoke, quick or paper: how many trials, and on which data
jobs: int = -1  # worker processes for trials that are not recorded yet; -1 for one a core
data_home: str = ""  # folder of the data files; empty for MIMLPAPER_DATA, or data/raw
recompute: bool = False  # run all trials again, whatever is recorded

# %% tags=["hide-cell"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import mimlpaper as miml
from mimlpaper.companion import Companion
from mimlpaper.datasets import SCENE_LABELS, load_synthetic_scene, make_scenes
from mimlpaper.report import diagrams, explanations, play

paper = Companion(profile=profile, jobs=jobs, data_home=data_home, recompute=recompute)

# %% tags=["remove-input"]
paper.opening(
    "What is an object that has many instances and many labels?",
    "the drawn scene, and which of its parts speaks for each of its labels.",
    found="A bag of instances with a set of labels has the older frameworks as special cases.",
)

# %% [markdown]
# ## Four frameworks
#
# Let $\mathcal X$ be the space of instances, feature vectors, and $\mathcal Y$ the set of labels. Two questions tell four
# kinds of learning apart: is an object one instance or several, and has it one label or several?
#
# | framework | an example | what is learned |
# |---|---|---|
# | traditional supervised learning | one instance $x_i$, one label $y_i$ | $f : \mathcal X \to \mathcal Y$ |
# | multi-instance learning | a bag $X_i = \{x_{i1}, \dots, x_{i n_i}\}$, one label $y_i$ | $f : 2^{\mathcal X} \to \mathcal Y$ |
# | multi-label learning | one instance $x_i$, a set $Y_i = \{y_{i1}, \dots, y_{i l_i}\}$ | $f : \mathcal X \to 2^{\mathcal Y}$ |
# | **MIML** | a bag $X_i \subseteq \mathcal X$, a set $Y_i \subseteq \mathcal Y$ | $f : 2^{\mathcal X} \to 2^{\mathcal Y}$ |
#
# The sizes $n_i$ and $l_i$ may differ from one object to the next. The first three are MIML with
# $n_i = 1$, with $l_i = 1$, or with both.

# %%
figure, axes = plt.subplots(2, 2, figsize=(7, 3.6))
diagrams.draw_frameworks(list(axes.flat))
paper.save_figure(figure, "figure1")

# %% [markdown]
# ## A MIML object that one can see
#
# The library draws small landscapes for itself. Here is one of them, taken because its parts are plain to see, and because its
# reasons come out right below. It is
# turned into a bag as the paper's scene images are: smoothed and shrunk to 8 by 8 pixels, from which blobs of 2 by 2
# pixels are taken. Nine blobs near the middle are the **instances**.

# %%
pictures, Y, _ = make_scenes(200)
scenes = load_synthetic_scene()
chosen = 7
bag = scenes.X[chosen]
", ".join(np.array(SCENE_LABELS)[Y[chosen]])

# %% [markdown]
# On the left is the picture. In the middle is all that the bag tells of it, with the nine instances numbered. An instance does
# not know its own colour alone: it also holds the differences to the blobs on its left, above it, on its right and below
# it, two steps away. So each of the nine is a small cross of five colours, on the right; the bag is the set of
# these crosses, and where in the picture they lie is not part of it.

# %%
figure, (whole, mosaic, crosses) = plt.subplots(1, 3, figsize=(7, 2.5))
whole.imshow(pictures[chosen])
whole.set_axis_off()
explanations.draw_instances(mosaic, crosses, bag)
paper.save_figure(figure, "worked_bag")

# %% [markdown]
# As numbers: one row an instance, three numbers for its red, green and blue, and twelve for the differences.

# %%
pd.DataFrame(bag.round().astype(int), range(1, 10), scenes.feature_names)

# %% [markdown]
# ## Two ambiguities
#
# The object is ambiguous twice. In the **input space** it has nine descriptions, and nothing says which of them matter for
# which label. In the **output space** it has two labels, either of which would be a fair name for it. Multi-instance learning
# faces the first ambiguity alone, multi-label learning the second; MIML faces both.
#
# How much hides in the first one can be counted here, because drawn scenes keep what a photograph does not tell:
# the region of each label. Of the nine instances of an image with the label, how many lie in the label's region?
# A learner never sees these numbers.

# %%
shown = scenes.X.mean(1.0 * scenes.instance_labels)
pd.DataFrame(
    {
        "images with the label": scenes.Y.sum(axis=0),
        "of nine instances": [9 * shown[scenes.Y[:, y], y].mean() for y in range(5)],
    },
    index=SCENE_LABELS,
).round(1)

# %% [markdown]
# ## What a learner makes of it
#
# A learner of MIML data gets 199 such bags, each with its set of labels, and has never seen the one above. Its function
# $f$ goes by scores: a label belongs to the bag if its score is positive. D-MimlSvm, the algorithm of Section 5,
# also scores each single instance, and so says what in the picture speaks for what.

# %%
others = np.arange(200) != chosen
model = make_pipeline(miml.OnInstances(MinMaxScaler()), miml.DMimlSvm(random_state=0))
model.fit(scenes.X[others], scenes.Y[others])
pd.DataFrame(model.decision_function([bag]).round(2), ["score"], SCENE_LABELS)

# %% [markdown]
# Below, next to the picture, each disc is an instance. White ones speak for the label named above, dark ones against it, the larger the
# more; the highest has a frame, green where the label's region is. The mosaic names the true labels, the others come in the order of the bag's score.

# %%
own = slice(scenes.X.offsets[chosen], scenes.X.offsets[chosen + 1])
figure = explanations.explained_scenes(
    model, scenes.X[[chosen]], SCENE_LABELS, true=Y[[chosen]], images=[pictures[chosen]],
    regions=scenes.instance_labels[own],
)  # fmt: skip
paper.save_figure(figure, "worked_scores")

# %% [markdown]
# **To play with.** With JupyterLab and its widgets (`make lab`) two more cells come alive here: a slider through new
# scenes, and one scene after another whose parts can be covered. The page *Play* of the site is the
# second one.

# %% tags=["remove-cell"]
new, new_labels, _ = make_scenes(50, random_state=1)


def show(image: int):
    explanations.explained_images(model, new[[image]], SCENE_LABELS, true=new_labels[[image]])
    plt.show()


play.sliders(show, image=(0, 49))

# %% tags=["remove-cell"]
play.player(play.exported(play.trained_on_scenes()), play.drawn_scenes())

# %% [markdown]
# For both true labels the frame lies where the label's region is, though no learner sees regions. An ordinary
# multi-label learner cannot offer this; the paper names it as a promise of MIML: *it has this label because it
# contains that instance*. How often such reasons are right is measured in notebook `8_beyond`.
#
# ## Why representation matters
#
# A good representation can be worth more than a strong learner. One long vector for the whole picture mixes what
# belongs to the sea with what belongs to the sunset, and each label has to be found again in the mixture. In a bag the
# parts are apart: what is true of the sea stands in its own rows, and for each label there are many more instances to learn
# from than there are images. Section 6 of the paper takes this so far as to *make* bags of objects that come as
# single vectors.
#
# That is an argument, not a result. The other notebooks put it to the test, and the answer is mixed:
# for the paper's data a well-tuned learner on plain vectors keeps up (notebooks 4 and 6). What the bag offers beyond is
# the explanation above.
#
# ## Two ways down
#
# What can one do with such data? Section 4 starts from what is there: turn the MIML problem into a simpler one, and solve
# that. There are two ways.

# %% mystnb={"image": {"alt": "Two ways from MIML to ordinary learning: solution A by multi-instance learning, solution B by multi-label learning."}}
figure, ax = plt.subplots(figsize=(7, 3.2))
diagrams.draw_degeneration(ax)

# %% [markdown]
# **Solution A** gives up the label set first. Each label $y$ becomes a question of its own, and our bag becomes five bags, one for each possible
# label, of pairs $\{(x_1, y), \dots, (x_9, y)\}$ with one class each:
#
# $$f_{A}(X, y) = +1 \;\text{ if } y \in Y, \quad -1 \;\text{ otherwise.}$$

# %%
pd.Series(np.where(Y[chosen], 1, -1), SCENE_LABELS, name="class").to_frame().T

# %% [markdown]
# What is left is multi-instance learning. Going on, each instance takes its bag's class, and an ordinary learner
# does the rest.
#
# **Solution B** gives up the bag first. Among the training bags a few are chosen as landmarks $M_1, \dots, M_k$, the medoids of a
# clustering, and our bag becomes the vector of its distances to them,
#
# $$z = \big(d_H(X, M_1), \dots, d_H(X, M_k)\big), \qquad
# d_H(A, B) = \max\{\max_a \min_b \|a - b\|,\; \max_b \min_a \|b - a\|\}.$$

# %%
medoids = miml.MedoidMap(ratio=0.04, random_state=0).fit(scenes.X[others])
medoids.transform([bag]).round()

# %% [markdown]
# One vector with two labels: what is left is multi-label learning. Going on, each label gets a learner of its own.
#
# Both ways lose something. Solution A forgets that labels come together, solution B which instance it was. Section 5
# takes neither: it solves the MIML problem as it is.
#
# ## Why labels in between can help
#
# *Africa* is a hard thing to recognise in a picture: what do a herd of elephants and a lone tree have in
# common? But if parts of the picture are first recognised as *elephant*, *lion*, *tree* or *grassland*, then
# *Africa* follows easily. Section 7 makes an algorithm of this thought: it finds such sub-concepts by
# clustering the instances, and treats them as labels in between.

# %%
figure, axes = plt.subplots(2, 1, figsize=(7, 5.6))
diagrams.draw_africa(list(axes))
paper.save_figure(figure, "figure2")
