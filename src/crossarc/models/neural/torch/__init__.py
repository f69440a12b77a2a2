"""Networks in torch, for training on a GPU: the modules of the kernel, with the same names of parameters.

What is here needs torch, which is optional: it is imported when a parser is trained on a device.
"""
