// extern "C" void kernel() stands only in this comment.
extern "C" void kernels(const float*, float*) {}
