"""Reports on treebanks, on evaluations and on comparisons: as text, HTML, CSV and LaTeX."""
