# %% [markdown]
# # Appendix C: the web page data
#
# Section 6 of *Multi-Instance Multi-Label Learning* (Zhou, Zhang, Huang and Li, 2012) sorts web
# pages into the categories of the eleven top-level topics of the Yahoo directory. Each topic is a
# data set of 5,000 pages, the first 2,000 for training and the other 3,000 for testing, and a page
# may stand in several second-level categories of its topic.
#
# Before any algorithm runs, this notebook answers a simpler question: **are these the data that
# the paper used?** Appendix C of the paper prints eight numbers for each set. Here they are
# counted again from the files and set next to the printed ones.

# %% [markdown] tags=["remove-cell"]
# ## Parameters
#
# Change them here, or pass them to papermill (`-p profile smoke`). They mean the same in every
# notebook of this project.

# %% tags=["parameters", "remove-cell"]
profile: str = "paper"  # smoke, quick or paper: how many trials, and on which data
jobs: int = -1  # worker processes for trials that are not recorded yet; -1 for one a core
data_home: str = ""  # folder of the data files; empty for MIMLPAPER_DATA, or data/raw
recompute: bool = False  # run all trials again, whatever is recorded

# %% tags=["hide-cell"]
from mimlpaper.companion import Companion
from mimlpaper.report.tables import characteristics_table, claims_table

paper = Companion(profile=profile, jobs=jobs, data_home=data_home, recompute=recompute)

# %% tags=["remove-input"]
paper.opening(
    "Are these the web pages that the paper used?",
    "the table: what is counted in the files, below what is printed.",
    claims=("C.",),
)

# %% [markdown]
# ## What is counted
#
# For the training and the test pages of each set:
#
# - **PMC**, the percentage of pages that belong to more than one category;
# - **ANL**, the average number of categories of a page;
# - **PRC**, the percentage of *rare* categories, those with fewer than 1 % of the pages.
#
# Nothing is learned and nothing is drawn at random, so the numbers must agree to the last printed
# digit. Halves are rounded up, as the paper does (1.1585 and 1.7045 are printed as 1.159 and 1.705).

# %%
counted = paper.characteristics()
table = characteristics_table(counted, profile=profile)
paper.save_table(table, "appendix_c")

# %% [markdown]
# In each cell the printed value stands above the counted one. Where a cell is tinted green, the
# two agree: these are the paper's data, with the paper's split.
#
# One thing the paper does not tell shows only in the files: the features are not the counts of
# words that Section 6.2.2 describes, but those counts divided by their Euclidean norm, so that
# every page is a vector of length one (all but a few pages, which contain none of the kept words
# and are all zero). Every result on these sets, the paper's and ours, is for the normalised pages.
# `data/README.md` says what else is worth knowing of each file.

# %% [markdown]
# ## What the text says of them
#
# Section 6.2.2 says that about 20 to 45 % of the pages have several categories, and that about 20 to 55 % of the categories are rare.
# Its own table reaches from 13.75 to 48.05 % and from 18.18 to 58.97 %.

# %%
claims_table(paper.claims("C."))
