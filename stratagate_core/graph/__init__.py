"""Events come in, what is so now comes out: nodes, facts and edges, each resting on events.

Stored answers of a model are folded into the graph; the fold can be repeated at any time. Writes
`graph_answers` and the tables that are folded from them, and the index of nodes.
"""
