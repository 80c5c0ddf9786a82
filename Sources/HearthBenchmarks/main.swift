// The benchmarks: everything else is in functions, which is where closures are not bound to the main thread.
BenchmarkProgram.run()
