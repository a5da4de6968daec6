"""Write the project as an RO-Crate, ``build/crate``: code, records, figures, pointers to data."""

import shutil
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import quote

import pandas as pd
import yaml
from rocrate.model.person import Person
from rocrate.rocrate import ROCrate

from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.scorecard import ARTEFACTS, codecheck_manifest

ROOT = Path(__file__).resolve().parent.parent


def main(target=ROOT / "build" / "crate"):
    """Write the crate in place of an earlier one, and print its folder."""
    shutil.rmtree(target, ignore_errors=True)
    described().write(target)
    print(target)


def described() -> ROCrate:
    """The crate: every file of the repository, and what the files are."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    crate = ROCrate()
    crate.name = f"{project['name']} {project['version']}"
    crate.description = project["description"]
    crate.license = f"https://spdx.org/licenses/{project['license']}"
    crate.root_dataset["citation"] = paper(crate)
    records = {f"data/results/{name}.csv": e.title for name, e in EXPERIMENTS.items()}
    figures = {f"figures/{name}": a for a in ARTEFACTS for name in a.files}
    for name in tracked():
        about = {"name": name}
        if name in records:
            about["description"] = f"Recorded trials: {records[name]}"
        if name in figures:
            about |= {"name": figures[name].title, "description": f"By: {figures[name].make}"}
        if name.endswith(".py"):
            about["@type"] = ["File", "SoftwareSourceCode"]
        crate.add_file(ROOT / name, name, properties=about)
    add_data(crate)
    return crate


def paper(crate):
    """The article, with its authors."""
    about = yaml.safe_load(codecheck_manifest())["paper"]
    names = [author["name"] for author in about["authors"]]
    authors = [Person(crate, f"#{quote(name)}", {"name": name}) for name in names]
    crate.add(*authors)
    return crate.add_jsonld(
        {
            "@id": about["reference"],
            "@type": "ScholarlyArticle",
            "name": about["title"],
            "author": [{"@id": author.id} for author in authors],
        }
    )


def tracked() -> list[str]:
    """The files that git knows."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True
    )
    return listed.stdout.splitlines()


def add_data(crate):
    """Where each data file is, with its checksum: pointers, because the files are others' own."""
    for row in pd.read_csv(ROOT / "data" / "manifest.csv").to_dict("records"):
        about = {
            "name": row["file"],
            "contentSize": str(row["bytes"]),
            "sha256": row["sha256"],
            "isBasedOn": row["original_source"],
            "usageInfo": row["data_terms"],
        }
        crate.add_file(row["url"], properties=about)


if __name__ == "__main__":
    main()
