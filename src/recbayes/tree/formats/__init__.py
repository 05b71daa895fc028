"""Trees in the forms that others read and write.

Readers return nodes in preorder and the number of children of each, which is what a tree is made of. None of them
recurses. Texts that are damaged raise `FileError`, objects that are no tree `DataError`.
"""
