BenchmarkProgram.run()
