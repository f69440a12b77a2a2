"""What can be said of a system: its properties, bounds, the class of its graphs; and, in `enumeration`, all of these.

Built on the algebra alone.
"""

from .properties import Properties, Verdict, derive_properties, graph_class

__all__ = ["Properties", "Verdict", "derive_properties", "graph_class"]
