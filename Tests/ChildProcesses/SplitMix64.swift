// Tests that name a seed get the generator with `Seeds`.
@_exported import SeededNumbers
