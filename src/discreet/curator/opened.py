"""A dataset file that is open: its rows and its ledger, each opened when first needed, once."""

import os
import threading
from collections.abc import Collection
from pathlib import Path

from discreet.budget import Ledger, analyst_name
from discreet.curator.dataset_ledger import default_analyst, notices, open_key, open_ledger
from discreet.curator.first_types import hold_to_first_types
from discreet.curator.prepared import least
from discreet.errors import DatasetError, DiscreetError
from discreet.exact import show
from discreet.lifetimes import Closing
from discreet.questions import Question, columns_used
from discreet.tables import Dataset, Table, open_table, read_dataset


class Opened(Closing):
    """A dataset file, its rows and its ledger, for the threads of one process."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        analyst: str | None = None,
        *,
        dataset: Dataset | None = None,
    ) -> None:
        """Read a dataset file; of a `dataset` whose facts are in no file, `path` is the ledger."""
        if not isinstance(path, str | os.PathLike):
            raise DatasetError(f"a dataset file must be given by its path, got {show(path)}")
        self.path = Path(path)
        self.dataset: Dataset = read_dataset(path) if dataset is None else dataset
        self.analyst = default_analyst() if analyst is None else analyst_name(analyst)
        self._opening = threading.RLock()
        self._closed = False
        self._table: Table | None = None
        self._outgrown: Table | None = None
        """Rows with fewer columns, which another thread may still be counting."""
        self._ledger: Ledger | None = None

    @property
    def table(self) -> Table:
        """The rows with all their columns, read once."""
        return self._rows(None)

    def table_for(self, question: Question) -> Table:
        """The rows with the columns that a question uses, or with all of them.

        Args:
            question: What is asked.

        Returns:
            The rows, read once.
        """
        return self._rows(columns_used(question))

    def _rows(self, used: Collection[str] | None, *, least_of_all: bool = False) -> Table:
        """The rows with the columns that are used, or all; no others, where that is wanted and
        none are read yet."""
        with self._opening:
            self._refuse_closed()
            known = self._table
            if known is not None and known.holds(used):
                return known
            only = used if least_of_all and known is None else None
            table = open_table(self.dataset, open_key(self.dataset, self.path), only=only)
            try:
                if table.types:
                    hold_to_first_types(self.dataset, self.path, table.types)
            except DiscreetError:
                table.close()
                raise
            self._table, self._outgrown = table, known
            return table

    @property
    def ledger(self) -> Ledger:
        """The ledger beside the dataset file, made with the file's budgets if there is none."""
        known = self._ledger
        if known is not None:  # without the lock, which is held while rows are read
            return known
        with self._opening:
            self._refuse_closed()
            if self._ledger is None:
                self._ledger = open_ledger(self.dataset, self.path)
            return self._ledger

    def notices(self) -> list[str]:
        """What the custodian should know: other dataset files that spend on the same rows."""
        return notices(self.dataset, self.path)

    def check_ready(self, *questions: Question) -> None:
        """Open everything that an answer needs, so that problems show before anything is spent.

        Args:
            questions: All that will be asked, where that is known: no more columns are read than
                these use.
        """
        self._refuse_draft()
        self.ledger.check_premises()
        used = {name for one in questions for name in columns_used(one)} if questions else None
        self._rows(used, least_of_all=True)

    def left(self, analyst: str | None = None) -> int:
        """What an analyst may still spend, in billionths: their own, or what is left for all.

        Args:
            analyst: Whose budget; the curator's own analyst, if left out.

        Returns:
            Billionths of ε.
        """
        return least(self.ledger.balance("").left, self.ledger.balance(self._asker(analyst)).left)

    def _asker(self, analyst: str | None) -> str:
        return self.analyst if analyst is None else analyst_name(analyst)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise DatasetError(f"{self.path.name} was closed; open it again to ask")

    def _refuse_draft(self) -> None:
        if not self.dataset.confirmed:
            raise DatasetError(
                f"{self.path.name} is a draft: the custodian must confirm its bounds and set "
                "confirmed = true before anything is answered"
            )

    def close(self) -> None:
        """Forget the rows and close the ledger."""
        with self._opening:
            for table in (self._table, self._outgrown):
                if table is not None:
                    table.close()
            if self._ledger is not None:
                self._ledger.close()
            self._table = self._outgrown = self._ledger = None
            self._closed = True
