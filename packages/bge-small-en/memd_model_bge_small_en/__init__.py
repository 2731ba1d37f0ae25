"""The files of bge-small-en-v1.5 in int8; memd finds them by the name of this package."""
