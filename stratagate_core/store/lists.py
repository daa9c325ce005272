"""Handing over many texts as one value: no limit on how many, one plan for all numbers of them."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from stratagate_core.store.tx import AdminTx
from stratagate_core.store.types import Text, is_unicode


def among(
    tx: AdminTx, column: sa.ColumnElement[str], texts: Iterable[str]
) -> sa.ColumnElement[bool]:
    """The condition that a column holds one of these texts."""
    if tx.is_postgresql:
        return column == sa.any_(_array(texts))
    return column.in_(listed(tx, list(texts)))


def listed(tx: AdminTx, texts: Sequence[str]) -> sa.Select[Any]:
    """Texts as rows."""
    if tx.is_postgresql:
        given = sa.func.unnest(_array(texts)).table_valued(sa.column("term", Text()))
        return sa.select(given.render_derived().c.term)
    value = sa.literal(json.dumps(list(texts)), sa.Text)
    rows = sa.func.json_each(value).table_valued("value")
    return sa.select(sa.cast(rows.c.value, sa.Text).label("term"))


def among_bound(
    is_postgresql: bool, column: sa.ColumnElement[str], name: str
) -> sa.ColumnElement[bool]:
    """As `among`, with a parameter in place of the texts: for statements that are built once."""
    if is_postgresql:
        return column == sa.any_(sa.bindparam(name, type_=ARRAY(Text())))
    rows = sa.func.json_each(sa.bindparam(name, type_=sa.Text)).table_valued("value")
    return column.in_(sa.select(sa.cast(rows.c.value, sa.Text)))


def bound(tx: AdminTx, texts: Iterable[str]) -> Any:
    """The value of such a parameter."""
    if tx.is_postgresql:
        return [text for text in texts if is_unicode(text)]
    return json.dumps(list(texts))


def bound_numbers(tx: AdminTx, numbers: Iterable[int]) -> Any:
    """The same for whole numbers."""
    return list(numbers) if tx.is_postgresql else json.dumps(list(numbers))


def looked_up(
    is_postgresql: bool,
    columns: Sequence[sa.ColumnElement[Any]],
    key: sa.ColumnElement[Any],
    name: str,
    *where: sa.ColumnElement[bool],
) -> sa.Select[Any]:
    """Select the rows whose key is in the list parameter `name`, each by the index of the key.

    Without fresh statistics the planner of PostgreSQL takes a collection for tiny and reads it
    whole rather than look for each of a list of keys; so there each key is a query of its own.
    """
    kind: sa.types.TypeEngine[Any] = Text() if isinstance(key.type, Text) else sa.Integer()
    if is_postgresql:
        given = sa.func.unnest(sa.bindparam(name, type_=ARRAY(kind)))
        asked = given.table_valued(sa.column("asked", kind)).render_derived()
        # an offset, even of 0, keeps the planner from making a join of it
        one = sa.select(*columns).where(*where, key == asked.c.asked).offset(0).lateral()
        return sa.select(*one.c).select_from(asked.join(one, sa.true()))
    rows = sa.func.json_each(sa.bindparam(name, type_=sa.Text)).table_valued("value")
    plain = sa.Text if isinstance(key.type, Text) else sa.Integer
    return sa.select(*columns).where(*where, key.in_(sa.select(sa.cast(rows.c.value, plain))))


def _array(texts: Iterable[str]) -> sa.BindParameter[Any]:
    """An array: JSON of PostgreSQL cannot give NUL back, and no row holds half a surrogate pair."""
    return sa.literal([text for text in texts if is_unicode(text)], ARRAY(Text()))
