/*
 * [[launch]]
 * entry = "first"
 * grid = ["ceildiv(N, BLOCK)", 2]
 * block = ["BLOCK", 1, 1]
 * shared = "4 * BLOCK"
 * [[launch]]
 * grid = 1
 * block = 32
 */
constexpr int BLOCK = 128;
