"""Kernels of notebooks that start at once: forks of a process that has imported the study.

A new Python imports NumPy, pandas, scikit-learn, Numba and Matplotlib for some seconds before the
first cell of each notebook. A fork of a server process has them already, and shares nothing else
with other kernels.
"""

import multiprocessing
import os
import signal
from multiprocessing import forkserver
from uuid import uuid4

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

from mimlstudy.engine.forks import CAN_FORK, fork_context, hush_tracker, lead_group_of

IMPORTED = ("mimlstudy.report.companion", "seaborn", "ipykernel.kernelapp")
RECORDS = "mimlstudy.report.records_read"  # its import reads all published records
NAME = "notebook kernel"  # of the processes, by which they are found again


def start_server(*, with_records: bool):
    """Start the server, which imports for seconds, while the caller does something else.

    To read all records first pays for many kernels, and delays a single one.
    """
    if CAN_FORK:
        modules = [*IMPORTED, RECORDS] if with_records else IMPORTED
        fork_context(*modules)
        forkserver.ensure_running()


class ForkedKernelManager(AsyncKernelManager):
    """A manager of one kernel that is a fork, as ``kernel_manager_class`` of nbclient's client."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.kernel_id = str(uuid4())
        self.provisioner = ForkedKernel(
            kernel_id=self.kernel_id,
            kernel_spec=self.kernel_spec,
            parent=self,
        )


class ForkedKernel(LocalProvisioner):
    """Starts, signals and ends a kernel as Jupyter does with one on this machine."""

    async def launch_kernel(self, cmd, **kwargs):
        """Start the kernel; ``cmd`` is python -m ipykernel_launcher with its arguments."""
        arguments = cmd[3:]
        started_with = arguments, kwargs.get("cwd"), kwargs.get("env") or {}, os.getpid()
        context = fork_context(*IMPORTED)
        process = context.Process(target=_run_kernel, args=started_with, name=NAME)
        process.start()
        self.process = Child(process)
        self.pid = process.pid
        self.pgid = process.pid  # it leads a group of its own, with the workers that it starts
        return self.connection_info


class Child:
    """A process of multiprocessing, with the methods of subprocess.Popen that Jupyter calls."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self.process = process
        self.pid = process.pid

    def poll(self):
        return self.process.exitcode

    def wait(self):
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)

    def terminate(self):
        self.process.terminate()

    def kill(self):
        self.process.kill()


def end_kernels():
    """End the forked kernels of this process that still run, with their workers."""
    for process in multiprocessing.active_children():
        if process.name == NAME:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:  # it has no group yet
                process.kill()
            process.join()


def _run_kernel(arguments, folder, environment, command_pid):
    """Be a kernel until it is shut down, or until the command's process has ended."""
    # Ctrl-C is for the command, which ends its kernels with their workers.
    lead_group_of(command_pid)
    os.environ.clear()
    os.environ.update(environment)
    # multiprocessing ends a fork without collecting its garbage, semaphores of workers among it.
    # Python removes these, and would tell the reader of each run.
    hush_tracker()
    if folder:
        os.chdir(folder)
    from ipykernel import kernelapp

    kernelapp.launch_new_instance(argv=arguments)
