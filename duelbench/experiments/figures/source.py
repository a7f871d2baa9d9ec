"""The source of the numbers of a figure: an experiment, and the definition of regret to show."""

from dataclasses import dataclass

from duelbench.bandits.problem.identification import Question
from duelbench.experiments.figures.changes import Changes, changes_of
from duelbench.experiments.results.experiments import Experiment, LoadedCell
from duelbench.experiments.results.samples import ALL_PROBLEMS


@dataclass(frozen=True)
class Source:
    """An experiment and the definition of regret to show of it."""

    experiment: Experiment
    regret: str

    @property
    def which(self) -> int:
        """The index of the definition among those that were recorded."""
        return self.experiment.definitions.index(self.regret)

    @property
    def question(self) -> Question:
        """The question of ``identify``; kinds that use it have checked that the spec has it."""
        question = self.experiment.results.question
        assert question is not None
        return question

    def cells(self, problem: str) -> list[LoadedCell]:
        """The cells of a problem, whichever matrices it has together: see `duelbench.experiments.results.samples`."""
        cells = self.experiment.cells
        return [cell for cell in cells if problem in (cell.stored.problem, cell.stored.setting, ALL_PROBLEMS)]

    def changes(self, problem: str) -> Changes:
        """The changes of a problem's world."""
        return changes_of(self.cells(problem))
