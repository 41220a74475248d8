extern "C" void kernel(const float*, float*, long, long) {}
