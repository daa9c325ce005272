"""The directory: what there is to find."""

from typing import Any

from stratagate_core import arguments
from stratagate_core.memory.handle import Handle
from stratagate_core.model.search import Page
from stratagate_core.model.topic import Topic
from stratagate_core.topics import cards, read


class Topics(Handle):
    """Lists topics and opens them. Topics are for finding, never evidence."""

    def topics(
        self,
        query: str = "",
        *,
        category: str | None = None,
        offset: int = 0,
        limit: int = 12,
    ) -> Page[Topic]:
        """A page of the directory: topics, then events that are in none yet.

        Args:
            query: words to look for in titles and descriptions; blank lists all in order. Of a
                longer one the first 500 characters count.
            category: ``"preferences"``, ``"decisions"``, ``"work"``, ``"relationships"`` or
                ``"other"``.
            offset: how many entries to skip.
            limit: 1 to 20 (clamped).

        Raises:
            InvalidArgument: an unknown category, or an offset that is no whole number from 0 on.

        """
        with self._read() as work:
            return self._page(work, query, category, offset, limit)

    def topic(self, topic_id: str) -> Topic:
        """One topic, or the entry of an event that is in none (``"fallback:<event id>"``).

        Raises:
            NotFound: no such topic, or it is hidden.

        """
        with self._read() as work:
            return read.topic(work, arguments.text(topic_id, "topic_id"))

    def directory(self) -> str:
        """The directory as text, within `directory_budget` tokens; blank if it is empty."""
        with self._read() as work:
            return read.directory(work)

    def list_topics(
        self,
        query: str = "",
        *,
        category: str | None = None,
        offset: int = 0,
        limit: int = 12,
    ) -> dict[str, Any]:
        """As `topics`, as JSON with the number of entries in each category."""
        with self._read() as work:
            page = self._page(work, query, category, offset, limit)
            return cards.list_card(work, page, offset=offset)

    def expand_topic(self, topic_id: str) -> dict[str, Any]:
        """A topic as JSON within 2,400 tokens, with counts of what is left out.

        Raises:
            NotFound: no such topic, or it is hidden.

        """
        with self._read() as work:
            found = read.topic(work, arguments.text(topic_id, "topic_id"))
            return cards.expand_card(work, found)

    def _page(
        self, work: Any, query: str, category: str | None, offset: int, limit: int
    ) -> Page[Topic]:
        return read.listing(
            work,
            query=arguments.text(query, "query"),
            category=arguments.optional_text(category, "category"),
            offset=arguments.whole(offset, "offset", least=0),
            limit=arguments.whole(limit, "limit", least=1),
        )
