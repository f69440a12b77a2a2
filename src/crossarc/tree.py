"""The tree that people hold in their hands: heads and labels, and every question that crossarc can answer about them.

Nothing is computed here; each method hands the heads to the module that knows.
"""

from __future__ import annotations

from .treebank.tree import BareTree


class Tree(BareTree):
    """A dependency tree over words 1…n, rooted at the artificial word 0.

    >>> tree = Tree([2, 0, 2], labels=["nsubj", "root", "obj"])
    >>> len(tree), tree.roots, tree.children(2)
    (3, [2], [1, 3])
    """

    __slots__ = ()
