"""The answers of the operations: what the methods of the services return, and `http.openapi` describes.

Answers are typed dicts, or the dataclass of a record where the answer has its fields. A key that may be absent is
``NotRequired``. `tests/daemon/test_operation_table.py` holds answers of a real daemon against them.
"""
