"""What is run, how it is recorded, and whether it still holds."""

from mimlpaper.experiments.experiment import PROFILES, Experiment
from mimlpaper.experiments.holdouts import HoldOut
from mimlpaper.experiments.registry import EXPERIMENTS, get_experiment
from mimlpaper.experiments.runner import compute, estimate
from mimlpaper.experiments.store import Store, StoreError, records
from mimlpaper.experiments.trial import Trial, run_trial
from mimlpaper.experiments.verify import audit, verified, verify
from mimlpaper.experiments.workers import TrialError
