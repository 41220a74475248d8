# def reference(x): only in a comment
def references(x):
    return x
