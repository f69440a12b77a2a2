"""The array types that everybody holds: ids and word numbers, offsets, values, scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Numbers of words, heads, labels, or ids of texts in a pool.
Ids = NDArray[np.int32]
#: Where the items of each sentence begin, and where the last ones end; also rows of a table.
Offsets = NDArray[np.int64]
#: Values of attributes of words, as `crossarc.features` numbers them.
Values = NDArray[np.uint32]
#: Yes or no for each item.
Flags = NDArray[np.bool_]
#: A small code for each item: kinds of lines, sets of marks.
Codes = NDArray[np.uint8]
#: Weights and scores.
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
#: Named arrays, as model files hold them.
AnyArray = NDArray[Any]
