"""What is run, how it is recorded, and whether it still holds."""

from mimlpaper.experiments.experiment import PROFILES, Experiment
from mimlpaper.experiments.holdout import HoldOut
from mimlpaper.experiments.plan import plan
from mimlpaper.experiments.protocol import EXPERIMENTS, get_experiment
from mimlpaper.experiments.runner import compute, records
from mimlpaper.experiments.store import Store, StoreError
from mimlpaper.experiments.trial import Trial, run_trial
from mimlpaper.experiments.verify import audit, verified, verify
from mimlpaper.experiments.workers import TrialError

__all__ = [
    "EXPERIMENTS",
    "PROFILES",
    "Experiment",
    "HoldOut",
    "Store",
    "StoreError",
    "Trial",
    "TrialError",
    "audit",
    "compute",
    "get_experiment",
    "plan",
    "records",
    "run_trial",
    "verified",
    "verify",
]
