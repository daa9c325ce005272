"""What goes before a model call: a message comes in, activated memory goes out.

Writes nothing: being shown strengthens no memory.
"""
