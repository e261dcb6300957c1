"""The version of this package; pyproject.toml takes it from here."""

__version__ = "1.0.0"
