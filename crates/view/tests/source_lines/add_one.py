from numba import cuda, float32


def add_one(x, y):
    index = cuda.grid(1)
    if index < x.size:
        y[index] = x[index] + float32(1)
