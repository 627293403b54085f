"""MetaRoCE: from the packet to the purchase order."""

__version__ = "0.1.0"
