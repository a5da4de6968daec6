"""The notebooks where readers use them: JupyterLab, papermill, nbconvert, and as pages.

`mimlpaper run` executes all of them; here some run without it, in folders of their own.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import nbformat
import pytest
from conftest import ROOT, watched_page

from mimlstudy.report.notebook_page import write_page
from mimlstudy.report.notebooks import available_notebooks

LAB = "mimlstudy.report.lab"  # the module that `make lab` runs
WORKING_COPIES = "build/lab"
SMOKE_RESULTS = ROOT / "build" / "smoke" / "results"
# Sliders, a section, tables of data, and a reader's own data.
IN_JUPYTERLAB = ["3_framework", "4_degeneration", "C_web_page_data", "own_data"]
# A section, and a method of one's own; `make check` runs all others before.
IN_PAPERMILL = ["7_subcod", "own_method"]
SECONDS_TO_RUN = 600  # for all cells of a notebook, at the smoke profile
PROFILE = 'profile: str = \\"paper\\"'  # as the files of notebooks have it
SECONDS_TO_START = 300  # for a server, a page or a kernel to come up


def environment(folder):
    """Ours, with Jupyter's own folders out of the way."""
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    return os.environ | {name: str(folder / name.lower()) for name in folders}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A checkout of its own, with the files as they are here, all committed."""
    folder = tmp_path_factory.mktemp("lab") / "checkout"
    tracked = git(ROOT, "ls-files", "-z").rstrip("\0").split("\0")
    for name in tracked:
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    author = ["-c", "user.name=A reader", "-c", "user.email=reader@example.org"]
    git(folder, *author, "commit", "--quiet", "--message", "All")
    if SMOKE_RESULTS.is_dir():  # so that no trial runs twice
        shutil.copytree(SMOKE_RESULTS, folder / SMOKE_RESULTS.relative_to(ROOT))
    return folder


def git(folder, *words):
    return subprocess.check_output(["git", "-C", str(folder), *words], text=True)


@pytest.fixture(scope="module")
def lab(checkout, tmp_path_factory):
    """`make lab` in a checkout, its working copies at the smoke profile; and its address."""
    with server([LAB], tmp_path_factory.mktemp("settings"), root=checkout) as address:
        for name in IN_JUPYTERLAB:
            path = checkout / WORKING_COPIES / f"{name}.ipynb"
            notebook = path.read_text()
            assert PROFILE in notebook, name
            smoke = PROFILE.replace("paper", "smoke")
            path.write_text(notebook.replace(PROFILE, smoke, 1))
        yield checkout, address


def set_to_draw_all_cells(folder):
    """Write settings by which JupyterLab draws all cells, those out of sight too."""
    settings = folder / "jupyterlab_settings_dir" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        _, port = probe.getsockname()
    return port


@contextmanager
def server(command, settings, root=ROOT):
    """A running server, by a module and its options, on the packages in ``root``; its address."""
    set_to_draw_all_cells(settings)
    port = free_port()
    options = [
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
    ]
    with open(settings / "server.log", "w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, *options],
            env=environment(settings) | {"PYTHONPATH": str(root)},
            cwd=root,
            stdout=log,
            stderr=log,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: answers(f"{address}/api"), SECONDS_TO_START)
        yield address
    finally:
        process.terminate()
        process.wait()


def answers(address):
    try:
        return urllib.request.urlopen(address).status == 200
    except OSError:
        return False


def kernel_state(address, notebook):
    """The state, such as "idle", of the one kernel that a notebook has; else None."""
    sessions = json.load(urllib.request.urlopen(f"{address}/api/sessions"))
    states = []
    for session in sessions:
        if session["path"] == notebook:
            states.append(session["kernel"]["execution_state"])
    return states[0] if len(states) == 1 else None


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(1)


def code_cells(path):
    cells = json.loads(path.read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def outputs(path, kind):
    """Number of outputs of a type, such as "error", or of a kind of data."""
    n_outputs = 0
    for cell in code_cells(path):
        for output in cell["outputs"]:
            kinds = {output["output_type"], *output.get("data", ())}
            n_outputs += kind in kinds
    return n_outputs


@pytest.fixture(scope="module")
def executed(browser, lab, request):
    """A notebook whose cells all ran in JupyterLab: the open page, and its saved file."""
    with watched_page(browser, 1280) as page:
        yield page, run_all_cells(lab, page, request.param)


def run_all_cells(lab, page, name):
    """Open a notebook, run its cells and wait for the last one; gives its saved copy."""
    folder, address = lab
    place = f"{WORKING_COPIES}/{name}.ipynb"
    path = folder / place
    page.goto(f"{address}/lab/workspaces/{name}/tree/{place}")
    page.locator(".jp-NotebookPanel-toolbar [data-status=idle]").wait_for(
        timeout=1000 * SECONDS_TO_START
    )
    wait_for(lambda: kernel_state(address, place) == "idle", SECONDS_TO_START)
    page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
    page.locator(".lm-Menu-item[data-command='runmenu:run-all']").click()

    def is_over():
        page.keyboard.press("Control+s")
        page.wait_for_timeout(1000)
        try:
            return all_cells_ran(path) or outputs(path, "error")
        except json.JSONDecodeError:  # it is being saved
            return False

    wait_for(is_over, SECONDS_TO_RUN)
    return path


def all_cells_ran(path):
    return all(cell["execution_count"] for cell in code_cells(path))


def n_saved_cells(path):
    try:
        return len(code_cells(path))
    except json.JSONDecodeError:  # it is being saved
        return 0


@pytest.mark.parametrize("executed", IN_JUPYTERLAB, indirect=True)
def test_by_make_lab_all_cells_run_and_are_edited_and_git_sees_no_change(executed, checkout):
    page, path = executed
    assert not outputs(path, "error")
    pictures = page.locator(".jp-RenderedImage:not(.jupyter-widgets *) img")
    widths = pictures.evaluate_all("all => all.map((picture) => picture.naturalWidth)")
    assert len(widths) == outputs(path, "image/png")
    assert all(widths)

    n_cells = len(code_cells(path))
    page.locator(".jp-Cell").first.click()
    page.keyboard.press("Escape")
    page.keyboard.press("b")  # a cell below
    page.keyboard.press("Control+s")
    wait_for(lambda: n_saved_cells(path) == n_cells + 1, SECONDS_TO_START)
    assert git(checkout, "status", "--porcelain") == ""


@pytest.mark.parametrize("executed", ["3_framework"], indirect=True)
def test_sliders_and_the_player_work_in_jupyterlab(executed):
    page, _ = executed
    picture = page.locator(".jupyter-widgets .jp-RenderedImage img").first
    before = picture.get_attribute("src")
    page.locator(".jupyter-widgets .noUi-handle").first.press("ArrowLeft")
    wait_for(lambda: picture.get_attribute("src") != before, SECONDS_TO_START)
    player = page.locator(".miml-play")
    words = player.get_by_role("status")
    wait_for(lambda: " of " in words.text_content(), SECONDS_TO_START)
    player.get_by_role("button").nth(4).press("Enter")
    assert "Before a part was covered" in words.text_content()
    assert page.faults == []


@pytest.mark.parametrize("name", IN_PAPERMILL)
def test_plain_papermill_and_nbconvert_from_another_folder(tmp_path, name):
    notebook = str(available_notebooks()[name])
    call(
        "papermill",
        notebook,
        "out.ipynb",
        "-p",
        "profile",
        "smoke",
        folder=tmp_path,
    )
    call("nbconvert", "--to", "html", "out.ipynb", folder=tmp_path)
    assert not outputs(tmp_path / "out.ipynb", "error")
    assert all_cells_ran(tmp_path / "out.ipynb")
    page = (tmp_path / "out.html").read_text()
    assert "<h1" in page
    assert page.count('src="data:image/png') == outputs(tmp_path / "out.ipynb", "image/png")


def call(program, *arguments, folder):
    command = [sys.executable, "-m", program, *arguments]
    subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        check=True,
        timeout=SECONDS_TO_RUN,
    )


def test_code_in_markdown_that_a_cell_shows_looks_like_code(browser, tmp_path):
    data = {"text/markdown": "```python\nmodel = 1\n```"}
    cell = nbformat.v4.new_code_cell(
        "pass",
        outputs=[nbformat.v4.new_output("display_data", data)],
        execution_count=1,
    )
    write_page(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "page.html")
    with watched_page(browser, width=1280) as page:
        page.goto((tmp_path / "page.html").as_uri())
        family = "element => getComputedStyle(element).fontFamily"
        code = page.locator(".jp-RenderedMarkdown pre").evaluate(family)
        assert code == page.locator(".jp-InputArea pre").evaluate(family)
