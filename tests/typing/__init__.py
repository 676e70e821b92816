"""The types of the public interface: mypy accepts ``accepted.py``, and refuses every marked line of
``refused.py``, where an ignored error that is none is an error itself. Nothing here is run."""
