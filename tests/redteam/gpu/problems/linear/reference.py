def reference(a, w, b):
    return a @ w + b
