"""Properties of a metric: laws that need no conventions, tried on pairs of inputs."""

from crosscheck.properties.asker import Ask
from crosscheck.properties.inputs import Setting
from crosscheck.properties.table import PROPERTIES, Property
from crosscheck.properties.trial import Status, Tried, tried

__all__ = ["PROPERTIES", "Ask", "Property", "Setting", "Status", "Tried", "tried"]
