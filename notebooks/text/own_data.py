# %% [markdown]
# # Own data: from a folder of images to labels with reasons
#
# This notebook uses the library on data of one's own. It starts from a folder of images, each with a set
# of labels, and ends with labels for new images and the part of the image that speaks for each of them.
# The only thing to bring is a folder and a table that says which image has which labels. Here a small
# folder is made first, so that every step can be run as it stands; put your own in its place.

# %% [markdown] tags=["remove-cell"]
# ## Parameters
#
# Nothing here needs a download, and the trials of the paper are not touched. The parameters are the ones that all
# notebooks share.

# %% tags=["parameters", "remove-cell"]
profile: str = "paper"  # smoke, quick or paper: how many trials, and on which data
jobs: int = -1  # worker processes for trials that are not recorded yet; -1 for one a core
data_home: str = ""  # folder of the data files; empty for MIMLPAPER_DATA, or data/raw
recompute: bool = False  # run all trials again, whatever is recorded

# %% tags=["hide-cell"]
from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import mimlpaper as miml
from mimlpaper.companion import Companion
from mimlpaper.datasets import (
    SCENE_LABELS,
    ImageBags,
    labelled_bags,
    load_synthetic_scene,
    make_scenes,
    read_bags,
    write_bags,
)
from mimlpaper.report import play
from mimlpaper.report.explanations import explained_images

paper = Companion(profile=profile, jobs=jobs, data_home=data_home, recompute=recompute)

# %% tags=["remove-input"]
paper.opening(
    "How do I get from my own images to labels with reasons?",
    "the last figure: for each new image, the part that brings its label.",
    found="A folder, a table of labels and some twenty lines are enough.",
)

# %% [markdown]
# ## A folder of images
#
# Ten landscapes, drawn by the library, stand in for photographs. Any format that Pillow opens will do, of
# any size from 8 by 8 pixels on. With them comes a table with one row an image and one column a label.

# %%
folder = Path(mkdtemp())
drawn, shown, _ = make_scenes(10, size=96, random_state=7)
names = [f"{i:02d}.png" for i in range(10)]
for name, pixels in zip(names, drawn, strict=True):
    Image.fromarray(pixels).save(folder / name)
table = pd.DataFrame(shown.astype(int), index=names, columns=SCENE_LABELS)
table.to_csv(folder / "labels.csv")

# %%
table

# %% [markdown]
# ## From images to bags
#
# `ImageBags` turns each image into a bag of nine instances, in the way of the paper's scene data: the image
# is smoothed and shrunk to 8 by 8 pixels, and an instance is one colour blob near the middle together with
# its differences to the blobs on its left, above it, on its right and below it. For texts there is `TextBags`,
# which cuts them into overlapping passages of counted words.

# %%
files = sorted(folder.glob("*.png"))
bags = ImageBags().fit_transform(files)
bags

# %% [markdown]
# ## Into a file and back
#
# Bags with labels can be written into a file and shared: as CSV with one row an instance, as ARFF with an XML
# file of label names, which the Java libraries Mulan, Weka and MIML read, or as a NumPy archive. What is
# read back is what was written, to the last digit. A file that is damaged, or laid out otherwise, is refused
# with the number of its line.

# %%
labels = pd.read_csv(folder / "labels.csv", index_col=0)
data = labelled_bags(bags, labels, SCENE_LABELS, bag_names=list(labels.index))
write_bags(folder / "scenes.arff", data)
found = read_bags(folder / "scenes.arff")
found

# %%
np.array_equal(found.X.instances, bags.instances)

# %% [markdown]
# ## A learner
#
# Ten images are too few to learn five labels from. So the learner is trained on 200 drawn scenes that are
# none of these ten; with a few hundred labelled images of your own, train on those instead. D-MimlSvm is chosen
# because it scores every instance as well as the whole image, and because its explanations point at the right
# place most often, as notebook `8_beyond` measures. The features are scaled to the range that the training images have.

# %%
scenes = load_synthetic_scene(n_images=200)
model = make_pipeline(miml.OnInstances(MinMaxScaler()), miml.DMimlSvm(random_state=0))
model.fit(scenes.X, scenes.Y)

# %% [markdown]
# ## Labels
#
# The model gives each image a set of labels: the labels with a positive score. The true ones stand next to them.

# %%
predicted = model.predict(found.X)
pd.DataFrame(
    {
        "predicted": [", ".join(np.array(SCENE_LABELS)[row]) for row in predicted],
        "true": [", ".join(np.array(SCENE_LABELS)[row]) for row in found.Y],
    },
    index=found.bag_names,
)

# %% [markdown]
# ## Reasons
#
# Which part of an image brings which label? `explain` scores every instance for every label, and `explained_images` draws
# the scores. The first picture of each row is the image itself. Then comes what the bag knows of it: 33 of 49 blobs of
# colour, all but the corners, below the true labels. On the last two the scores of the two highest labels are laid over the nine
# instances: white discs speak for the label, dark ones against it, and the highest score has a frame. A label that is predicted but not true
# is marked as *wrong*, one that is true but not predicted as *missed*.

# %%
chosen = np.argsort(-found.Y.sum(axis=1), kind="stable")[:3]  # those with the most labels
figure = explained_images(model, [files[i] for i in chosen], SCENE_LABELS, true=found.Y[chosen])
paper.save_figure(figure, "own_images")


# %% [markdown]
# **To play with.** With JupyterLab and its widgets (`make lab`) two more cells come alive here: sliders for the image and
# the number of labels shown, and your own images, whose parts can be covered. The second one needs a learner that is
# small enough to travel, a `NoisyOr` (notebook `11_unseen_data`).

# %% tags=["remove-cell"]
def show(image: int, n_shown: int = 2):
    explained_images(model, [files[image]], SCENE_LABELS, true=found.Y[[image]], n_shown=n_shown)
    plt.show()


play.sliders(show, image=(0, len(files) - 1), n_shown=(1, len(SCENE_LABELS)))

# %% tags=["remove-cell"]
small = make_pipeline(miml.OnInstances(MinMaxScaler()), miml.NoisyOr(rank=100, random_state=0))
play.player(play.exported(small.fit(scenes.X, scenes.Y)), play.choices(files, names))

# %% [markdown]
# A picture convinces easily, so the reasons are measured in notebook `8_beyond`: on drawn scenes the framed instance lies in the
# label's region more often than chance, and far less often than it could. The third row shows one kind of mistake,
# *next to* the region: an instance describes its neighbours as well, so that a blob of sky just above the
# dunes tells *desert* as surely as a blob within them.
#
# The same steps work for texts, with `TextBags` in place of `ImageBags` and `explained_text` in place of `explained_images`.
