"""Rerankers: models that read a question together with a text and say how well the one answers the other."""
